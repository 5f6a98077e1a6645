/** A trace goes on from the node that enqueues to the node that works, through a server. */
import { trace } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { defineJob, Evertick } from '../../src/index.ts'
import { idsOf, recordSpans } from '../observe/recorded-spans.ts'
import { until } from '../process/until.ts'
import { quiet } from '../promises/support.ts'
import { createMysql, createPostgres, type TestDatabase } from '../services/databases.ts'

const spans = recordSpans()
const tracer = trace.getTracer('the app')
const greet = defineJob({ name: 'greet', run: () => 'hello' })

const servers = [
  { name: 'PostgreSQL', url: inject('postgresUrl'), create: createPostgres },
  { name: 'MariaDB', url: inject('mysqlUrl'), create: createMysql },
]

describe.each(servers)('two nodes on $name', ({ url, create }) => {
  let database: TestDatabase
  beforeAll(async () => {
    if (url !== null) database = await create(url)
  })
  afterAll(async () => await database?.drop())

  test.skipIf(url === null)('enqueue, trigger and run are of one trace', async () => {
    const shared = { database: database.url, logger: quiet, migrate: true } as const
    const producer = await Evertick.open({ ...shared, jobs: [greet] })
    const worker = await Evertick.open({ ...shared, jobs: [greet] })
    try {
      await worker.start()
      const ids = await tracer.startActiveSpan('request', async (span) => {
        const { id } = await producer.enqueue(greet, undefined, { metadata: { own: 1 } })
        const triggered = await producer.jobs.trigger('greet')
        span.end()
        return [id, triggered.id]
      })
      for (const id of ids) expect(await producer.result(id)).toBe('hello')
      await until('both runs', () => spans.named('evertick.execute').length === 2)
      const { trace: traceId } = idsOf(spans.only('request'))
      expect(spans.named('evertick.execute').map((span) => idsOf(span).trace)).toEqual([traceId, traceId])
      const seen = await Promise.all(ids.map(async (id) => await producer.executions.get(id)))
      expect(seen.map((execution) => [execution.traceId, execution.metadata])).toEqual([
        [traceId, { own: 1 }],
        [traceId, {}],
      ])
    } finally {
      await producer.stop()
      await worker.stop()
    }
  })
})
