/** A server that takes short statements only: what would not fit is refused before it is sent, and nobody waits. */
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { defineJob, Evertick, type Logger } from '../../src/index.ts'
import { payloadLimit } from '../../src/store/mysql/server-facts.ts'
import { quiet } from '../promises/support.ts'
import { startMariadb } from '../services/mariadb.ts'
import type { Server } from '../services/server.ts'

const smallest = 1_048_576
const share = smallest / 8

/** Letters that are escaped at every step of their way. */
const quotes = (bytes: number) => '"'.repeat((bytes - 2) / 2)

const repeat = defineJob<number>({ name: 'repeat', run: ({ input }) => quotes(input) })

describe.skipIf(inject('mysqlUrl') === null)('max_allowed_packet', () => {
  let server: Server
  beforeAll(async () => {
    server = await startMariadb()
    await set(smallest)
  }, 60_000)
  afterAll(async () => await server?.remove())

  async function set(bytes: number): Promise<void> {
    const door = await createConnection(server.url)
    await door.query('SET GLOBAL max_allowed_packet = ?', [bytes])
    await door.end()
  }

  async function node(logger: Logger = quiet): Promise<Evertick> {
    const evertick = await Evertick.open({ database: server.url, migrate: true, logger, jobs: [repeat] })
    onTestFinished(() => evertick.stop())
    await evertick.start()
    return evertick
  }

  async function outcomes(evertick: Evertick, sizes: readonly number[]) {
    const made = await evertick.enqueueMany(sizes.map((input) => ({ job: 'repeat', input })))
    const ends = []
    for (const { id } of made) {
      await evertick.result(id).catch(() => {})
      const { state, result, error } = await evertick.executions.get(id)
      ends.push(state === 'completed' ? JSON.stringify(result).length : error?.code)
    }
    return ends
  }

  test('lowers the limit of payloads, which is said with what to do', async () => {
    const warnings: unknown[] = []
    const evertick = await node({ ...quiet, warn: (message, details) => warnings.push([message, details]) })
    expect(warnings).toEqual([
      [
        `Inputs and results may have at most ${share} bytes on this server, not 1048576`,
        expect.objectContaining({ next: 'Set max_allowed_packet of the server to 8388608 or more.' }),
      ],
    ])
    const sizes = [100, share, share + 2, 900_000, 100]
    expect(await outcomes(evertick, sizes)).toEqual([100, share, 'invalid_payload', 'invalid_payload', 100])
    await expect(evertick.enqueue('repeat', quotes(share + 2) as never)).rejects.toMatchObject({
      code: 'invalid_payload',
    })
  }, 60_000)

  test('a batch of the longest payloads is written, whatever its letters are', async () => {
    const evertick = await node()
    const sizes = Array.from({ length: 30 }, () => share)
    expect(await outcomes(evertick, sizes)).toEqual(sizes)
    const input = quotes(share)
    const metadata = { text: quotes(share - 100) }
    await evertick.jobs.create({ name: 'kept' })
    const items = Array.from({ length: 30 }, () => ({ job: 'kept', input, options: { metadata } }))
    expect(await evertick.enqueueMany(items)).toHaveLength(30)
  }, 60_000)

  test('one that is lowered under a node costs those whose end no longer fits, and nobody else', async () => {
    await set(16 * smallest)
    const evertick = await node()
    await set(smallest)
    const door = await createConnection(server.url)
    const [threads] = await door.query(
      'SELECT id FROM information_schema.processlist WHERE id <> connection_id()',
    )
    for (const { id } of threads as { id: number }[]) await door.query('KILL ?', [id]).catch(() => {})
    await door.end()
    expect(await outcomes(evertick, [100, 1_000_000, 100])).toEqual([100, 'invalid_payload', 100])
    expect(await outcomes(evertick, [100])).toEqual([100])
  }, 90_000)
})

test('too short a packet is refused with what to do', () => {
  expect(() => payloadLimit(smallest - 1)).toThrow(
    expect.objectContaining({ code: 'unsupported_database', field: 'database' }),
  )
})
