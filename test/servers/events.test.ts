/** Live events of a cluster: what one node does, the clients of another hear. */

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { defineJob, Evertick } from '../../src/index.ts'
import { readEvents } from '../http/event-stream.ts'
import { until } from '../process/until.ts'
import { quiet } from '../promises/support.ts'
import { createMysql, createPostgres, type TestDatabase } from '../services/databases.ts'

const secret = 'a-secret-of-the-tests-0123456789-abcdefghij'
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

  test.skipIf(url === null)('a client of one hears what the other does', async () => {
    const shared = { database: database.url, logger: quiet, migrate: true } as const
    const listener = await Evertick.open({ ...shared, roles: ['api'], api: { port: 0, secrets: [secret] } })
    const worker = await Evertick.open({ ...shared, jobs: [greet], migrate: false })
    try {
      await listener.start()
      await worker.start()
      const access = openAccess(contextOf(listener), apiConfig({ secrets: [secret] }))
      const { token } = await access.createToken({ role: 'viewer' })
      const headers = { authorization: `Bearer ${token}` }
      const client = await readEvents(await fetch(`${listener.url}/api/v1/events`, { headers }))
      const heard = (part: object) =>
        until(JSON.stringify(part), () =>
          client.events().some(({ data }) => JSON.stringify({ ...data, ...part }) === JSON.stringify(data)),
        )
      // The first look of a feed only learns how things are: the change is made until one comes after it.
      await until('the job', async () => {
        await worker.jobs.pause('greet')
        await worker.jobs.resume('greet')
        return client.events().some(({ data }) => data.type === 'job' && data.job === 'greet')
      })
      const { id } = await worker.enqueue('greet')
      await heard({ type: 'execution', id, job: 'greet', state: 'completed' })
      await worker.leader.stepDown()
      await heard({ type: 'leader', termId: null })
      expect(client.ended()).toBe(false)
    } finally {
      await worker.stop({ timeout: 0 })
      await listener.stop({ timeout: 0 })
    }
  })
})
