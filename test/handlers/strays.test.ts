/** What a command starts and what then leaves its process group ends with it, too, where /proc shows environments. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestNode } from '../../src/testing/index.ts'
import { startCli } from '../cli/run-cli.ts'
import { until } from '../process/until.ts'
import { isAlive, nodeAllowing, program, ranCommand, testFolder } from './command-node.ts'

/** A program that leaves a deaf child in a session of its own, two generations away; its id is in the folder. */
function deserter(folder: string, then: string): string {
  const child = `trap "" TERM HUP; echo $$ > ${folder}/stray; while :; do sleep 1; done`
  return program(
    `#!/bin/sh
(setsid sh -c '${child}' >/dev/null 2>&1 &)
while [ ! -s ${folder}/stray ]; do sleep 0.05; done
${then}
`,
    folder,
  )
}

async function strayOf(folder: string): Promise<number> {
  const read = () => (existsSync(join(folder, 'stray')) ? Number(readFileSync(join(folder, 'stray'))) : 0)
  await until('the child', () => read() > 0)
  const pid = read()
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  return pid
}

test('a child in a session of its own ends with a command that is done', async () => {
  const folder = testFolder()
  const command = deserter(folder, 'echo done')
  const node = await nodeAllowing([command])
  expect((await ranCommand(node, { command })).state).toBe('completed')
  const stray = await strayOf(folder)
  // A signal is sent in no time, but a busy machine takes its own to end a process.
  await until('its end', () => !isAlive(stray))
  expect(isAlive(stray)).toBe(false)
})

test('it ends with a command that is cancelled, and only that command', async () => {
  const [folder, other] = [testFolder(), testFolder()]
  const [command, neighbour] = [folder, other].map((one) => deserter(one, 'while :; do sleep 1; done'))
  if (command === undefined || neighbour === undefined) throw new Error('two programs')
  const node = await openTestNode({ allowCommands: [command, neighbour] })
  const { jobs, executions } = node.evertick
  const start = async (name: string, path: string) => {
    await jobs.create({ name, handler: { type: 'command', command: path }, retry: { attempts: 1 } })
    return await jobs.trigger(name)
  }
  const { id } = await start('one', command)
  await start('other', neighbour)
  const [stray, kept] = [await strayOf(folder), await strayOf(other)]
  expect([stray, kept].map(isAlive)).toEqual([true, true])
  await executions.cancel(id)
  await until('its end', () => {
    node.clock.moveTo(node.clock.now() + 5_000)
    return !isAlive(stray)
  })
  expect(isAlive(kept)).toBe(true)
  const stopped = node.stop()
  await until('the end of the other', () => {
    node.clock.moveTo(node.clock.now() + 5_000)
    return !isAlive(kept)
  })
  await stopped
})

test('it ends with a worker that is stopped in a hurry', async () => {
  const folder = testFolder()
  const command = deserter(folder, 'while :; do sleep 1; done')
  const database = `sqlite:${join(folder, 'evertick.db')}`
  const node = await openTestNode({ database })
  await node.evertick.jobs.create({ name: 'job', handler: { type: 'command', command }, runNow: true })
  await node.stop()
  const env = { EVERTICK_DATABASE_URL: database, EVERTICK_ALLOW_COMMANDS: command }
  const worker = startCli(['worker'], { cwd: folder, env })
  const stray = await strayOf(folder)
  expect(isAlive(stray)).toBe(true)
  // The second one that is no echo of the first ends the process at once.
  await until('the end of the worker', () => {
    worker.signal('SIGTERM')
    return worker.child.exitCode !== null
  })
  await until('its end', () => !isAlive(stray))
})
