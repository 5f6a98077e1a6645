/** The parts of the enhanced scheduler on a node with a manual clock. */
import { onTestFinished } from 'vitest'
import { defineJob, JobHistory, type Logger, ScheduleRepository } from '../../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../../src/testing/index.ts'

export interface Parts {
  readonly node: TestNode
  readonly repository: ScheduleRepository
  readonly history: JobHistory
}

/** A node that runs the schedules: `run` is what each of their runs does. */
export async function openParts(
  run: Parameters<typeof defineJob>[0]['run'] = () => null,
  options: TestNodeOptions = {},
): Promise<Parts> {
  const node = await openTestNode({
    jobs: [defineJob({ name: 'run-schedule', run })],
    queues: { schedules: { concurrency: 5 } },
    logger: silent,
    ...options,
  })
  const history = new JobHistory(node.evertick, { logger: silent })
  onTestFinished(async () => {
    await history.close()
    await node.stop()
  })
  return { node, repository: new ScheduleRepository(node.evertick), history }
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A logger whose lines can be looked at. */
export function keptLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const keep = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}
