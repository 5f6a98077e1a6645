/** What a supervisor sees of a node that it tells to stop: as a plain process, and as process 1 of a container. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Cli, runCli, startCli, testFolder } from '../cli/run-cli.ts'
import { until } from './until.ts'

const config = `
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { defineConfig, defineJob } from 'evertick'
export default defineConfig({
  database: 'sqlite:app.db',
  jobs: [
    defineJob({ name: 'tick', schedule: { every: '1s' }, run: () => {} }),
    defineJob({ name: 'late', run: () => {} }),
    defineJob({
      name: 'slow',
      async run() {
        writeFileSync('began', '')
        while (!existsSync('go')) await delay(10)
        return 'finished'
      },
    }),
  ],
})
`
const newPids = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--pid',
  '--fork',
  '--mount-proc',
]
const [unshare = '', ...namespaces] = newPids
// Not everywhere: it takes Linux, util-linux, and a kernel that lets this user.
const canUnshare = spawnSync(unshare, [...namespaces, 'true']).status === 0

test.for([
  { where: 'as a plain process', within: [] as string[], skip: false },
  { where: 'as process 1 of a container', within: newPids, skip: !canUnshare },
])(
  'SIGTERM $where closes the port, claims nothing more, waits for what runs, and ends with 143',
  async ({ within, skip }, { skip: skipTest }) => {
    if (skip) skipTest('unshare cannot make a namespace of processes here')
    const cwd = testFolder({ 'evertick.config.ts': config })
    const node = startCli(['start'], { cwd, env: { EVERTICK_PORT: '0' }, within })
    await node.says('leads, term 1')
    const ready = `${/^ +open +(http:\S+)$/m.exec(node.stdout)?.[1]}/readyz`
    expect((await fetch(ready)).status).toBe(200)
    const { stdout } = await runCli(['nodes', '--json'], { cwd })
    expect(stdout.includes(':1:')).toBe(within.length > 0)
    await runCli(['jobs', 'trigger', 'slow'], { cwd })
    await until('the slow run to begin', () => existsSync(join(cwd, 'began')))

    process.kill(pidOf(node, within), 'SIGTERM')
    await until('the port to be closed', () =>
      fetch(ready).then(
        () => false,
        () => true,
      ),
    )
    const door = new DatabaseSync(join(cwd, 'app.db'))
    onTestFinished(() => door.close())
    const states = () =>
      door
        .prepare("SELECT state, attempt FROM evertick_job_executions WHERE cause = 'manual' ORDER BY id")
        .all()
    expect(states()).toMatchObject([{ state: 'running', attempt: 1 }])
    await runCli(['jobs', 'trigger', 'late'], { cwd })
    writeFileSync(join(cwd, 'go'), '')

    expect(await node.ended).toMatchObject({ code: 143 })
    expect(states()).toMatchObject([
      { state: 'completed', attempt: 1 },
      { state: 'pending', attempt: 0 },
    ])
    const left = [
      "evertick_job_executions WHERE state = 'running'",
      "evertick_locks WHERE name = 'leader'",
      'evertick_nodes',
    ]
    expect(left.map((rows) => door.prepare(`SELECT count(*) AS n FROM ${rows}`).get())).toEqual(
      left.map(() => ({ n: 0 })),
    )
  },
)

/** Of the node itself: `unshare` stands between. */
function pidOf(node: Cli, within: readonly string[]): number {
  const pid = node.child.pid ?? 0
  return within.length === 0 ? pid : Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
}
