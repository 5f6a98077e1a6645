/** Nodes on the real clock whose jobs run apart from them, and what they leave behind. */
import { readdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import {
  defineJob,
  type EnqueueOptions,
  Evertick,
  type EvertickOptions,
  type JobDefinition,
} from '../../src/index.ts'
import { databaseFile, quiet } from '../promises/support.ts'

export const modes = ['thread', 'process'] as const

export const moduleOf = (name: string): URL => new URL(`./isolated/${name}.ts`, import.meta.url)

type Asked = Omit<Partial<JobDefinition<unknown, unknown>>, 'run'>

export function worksJob(options: Asked = {}) {
  return defineJob({ name: 'works', handler: moduleOf('works'), isolate: 'thread', ...options })
}

export async function openIsolated(
  jobs: NonNullable<EvertickOptions['jobs']>,
  options: Partial<EvertickOptions> = {},
) {
  const file = databaseFile()
  const evertick = await Evertick.open({ database: file.url, logger: quiet, jobs, ...options })
  onTestFinished(() => evertick.stop({ timeout: 0 }))
  await evertick.start()
  const ended = async (job: string, input?: unknown, how: EnqueueOptions = {}) => {
    const { id } = await evertick.enqueue(job, input, how)
    // It throws where the execution failed, which the view says too.
    await evertick.result(id, { timeout: '50s' }).catch(() => {})
    return await evertick.executions.get(id)
  }
  return { evertick, file, ended }
}

/** Processes that this one has started and that still run, their own children included. */
export function descendants(pid = process.pid): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = statOf(name)
    if (stat !== null && stat.state !== 'Z') parents.set(Number(name), stat.parent)
  }
  const below = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)])
  return below(pid)
}

function statOf(pid: string): { state: string; parent: number } | null {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=\w )/)
    const [state = '', parent] = rest.split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return null
  }
}
