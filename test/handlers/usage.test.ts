/** What a command used is kept with its attempt: of all that it has started, as far as /proc shows it. */
import { expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { nodeAllowing, program, ranCommand, shellProgram, testFolder } from './command-node.ts'

const megabyte = 2 ** 20

/** `cpuMs` of CPU time, by its own count; then what `last` says. */
function burning(cpuMs: number, last = '', folder = testFolder()): string {
  const text = `#!${process.execPath}
const before = process.cpuUsage()
for (let used = { user: 0, system: 0 }; used.user + used.system < ${cpuMs}e3; used = process.cpuUsage(before));
${last}
`
  return program(text, folder)
}

async function used(command: string, quota = {}) {
  const node = await nodeAllowing([command])
  const { attempts, state } = await ranCommand(node, { command }, { quota })
  return { state, usage: attempts[0]?.usage ?? null, runs: await node.evertick.jobs.usage('command') }
}

test('its peak of memory and its CPU time, of the attempt and of the run', async () => {
  const hold = 'const all = Buffer.alloc(64 * 2 ** 20, 1); setTimeout(() => all, 600)'
  const { state, usage, runs } = await used(burning(300, hold))
  expect(state).toBe('completed')
  expect(usage?.peakMemoryBytes).toBeGreaterThanOrEqual(64 * megabyte)
  expect(usage?.peakMemoryBytes).toBeLessThan(1_024 * megabyte)
  expect(usage?.cpuMs).toBeGreaterThanOrEqual(250)
  expect(usage?.cpuMs).toBeLessThan(10_000)
  expect(runs).toMatchObject([{ state: 'completed', ...usage }])
})

test('a peak between two looks is not missed: the kernel keeps that of each process', async () => {
  // It is given back at once, and then looked at.
  const hold = `let all = Buffer.alloc(96 * 2 ** 20, 1); all = null; setTimeout(() => {}, 600)`
  const { usage } = await used(burning(1, hold))
  expect(usage?.peakMemoryBytes).toBeGreaterThanOrEqual(96 * megabyte)
})

test('the CPU time of one that ends before any look is there all the same', async () => {
  // Nothing waits for it: its output ends, and it is not cleared away yet.
  const { usage } = await used(shellProgram('i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done'))
  expect(usage?.cpuMs).not.toBe(null)
})

test('what it has started and waited for counts', async () => {
  const folder = testFolder()
  const child = burning(300, '', folder)
  const { usage } = await used(shellProgram(`${child}; sleep 0.1`))
  expect(usage?.cpuMs).toBeGreaterThanOrEqual(250)
})

test('one that was ended for its quota keeps what was seen', async () => {
  const { state, usage } = await used(
    program(`#!${process.execPath}\nconst all = Buffer.alloc(200e6, 1); setInterval(() => all, 1e6)\n`),
    { memory: '100mb' },
  )
  expect(state).toBe('failed')
  expect(usage?.peakMemoryBytes).toBeGreaterThan(100 * megabyte)
})

test('of a function in the node nobody can tell', async () => {
  const node = await nodeAllowing([], { jobs: [defineJob({ name: 'plain', run: () => 7 })] })
  const { id } = await node.evertick.enqueue('plain')
  await node.settle()
  expect(await node.evertick.executions.get(id)).toMatchObject({
    attempts: [{ outcome: 'completed', usage: null }],
  })
  expect(await node.evertick.jobs.usage('plain')).toEqual([])
})
