/** What a command may use: beyond it, it is ended whole, and the error names quota, limit and use. */
import { expect, test } from 'vitest'
import { defineJob, Evertick } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { isAlive, nodeAllowing, program, ranCommand, shellProgram } from './command-node.ts'

const spinning = () => shellProgram('while :; do :; done')
const large = () =>
  program(`#!${process.execPath}\nconst all = Buffer.alloc(200e6, 1); setInterval(() => all, 1e6)\n`)

test.each([
  ['cpu', '200ms', spinning, /quota\.cpu: .* of 200ms/],
  ['memory', '100mb', large, /quota\.memory: .*mb of 100mb/],
  ['processes', 2, () => shellProgram('sleep 300 & sleep 300 & wait'), /quota\.processes: 3 of 2/],
  ['output', '64kb', () => shellProgram('yes'), /quota\.output: .*kb of 64kb/],
] as const)('%s', async (name, limit, made, message) => {
  const command = made()
  const node = await nodeAllowing([command])
  const ended = await ranCommand(node, { command }, { quota: { [name]: limit } })
  expect(ended).toMatchObject({ state: 'failed', error: { code: 'quota_exceeded', message } })
})

test('a command that stays within its quota is done', async () => {
  const command = shellProgram('echo done')
  const node = await nodeAllowing([command])
  const quota = { cpu: '10s', memory: '1gb', processes: 10, output: '1mb' } as const
  expect(await ranCommand(node, { command }, { quota })).toMatchObject({ state: 'completed' })
})

test('what it has started goes with it', async () => {
  const command = shellProgram('sleep 300 & echo $!; while :; do :; done')
  const node = await nodeAllowing([command])
  const { id } = await ranCommand(node, { command }, { quota: { cpu: '200ms' } })
  await node.advance('2s')
  const [line] = await node.evertick.executions.logs(id)
  const started = Number(line?.message)
  await until('its end', () => !isAlive(started))
  expect(started).toBeGreaterThan(0)
})

test('a quota that nobody could keep is refused, with the next step', async () => {
  const handler = new URL('../process/isolated/works.ts', import.meta.url)
  const refused = { code: 'invalid_definition', next: expect.any(String) as string }
  const quota = { cpu: '1s' } as const
  expect(() => defineJob({ name: 'plain', run: () => {}, quota })).toThrow(
    expect.objectContaining({ ...refused, field: 'quota' }),
  )
  expect(() => defineJob({ name: 'thread', handler, isolate: 'thread', quota })).toThrow(
    expect.objectContaining({ ...refused, field: 'quota.cpu' }),
  )
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  const call = { type: 'http', url: 'https://example.com' } as const
  await expect(evertick.jobs.create({ name: 'call', handler: call, quota })).rejects.toMatchObject(refused)
  for (const memory of ['much', '-1mb', '0mb', 0.5])
    await expect(
      evertick.jobs.create({ name: 'odd', quota: { memory: memory as '1mb' } }),
    ).rejects.toMatchObject({ code: 'invalid_definition' })
  await evertick.stop()
})
