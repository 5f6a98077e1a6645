/** Secrets in a file: sealed when they are written, told apart when they change, and shown to nobody. */
import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import { applyList } from '../../../src/app/job/managed/apply-list.ts'
import { exportJobs } from '../../../src/app/job/managed/export-jobs.ts'
import { openTestNode } from '../../../src/testing/index.ts'

const canary = 'canary-7f3a'

async function opened() {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const app = contextOf(node.evertick)
  const job = (secret: string, url = 'https://example.com/') => ({
    name: 'a',
    handler: { type: 'http', url, headers: { Authorization: secret } },
  })
  const apply = async (value: unknown) => await applyList(app, { name: 'f', jobs: [value] })
  return { node, app, job, apply }
}

test('the same secret is no change, another one is, and neither is shown', async () => {
  const { app, node, job, apply } = await opened()
  const made = await apply(job(canary))
  expect(made).toMatchObject({ created: ['a'] })
  expect(await apply(job(canary))).toMatchObject({ unchanged: ['a'] })
  const other = await apply(job(`${canary}-2`))
  expect(other.changes).toMatchObject([
    { fields: [{ field: 'handler.headers.Authorization', before: '[redacted]' }] },
  ])
  expect(await apply(job(`${canary}-2`))).toMatchObject({ unchanged: ['a'] })
  const shown = [
    made,
    other,
    await exportJobs(app),
    await node.evertick.auditLog.list(),
    await app.store.jobs.findJob('a'),
  ]
  expect(JSON.stringify(shown)).not.toContain(canary)
})

test('[redacted] keeps the secret that is there, also one that was changed by hand', async () => {
  const { app, node, job, apply } = await opened()
  await apply(job(canary))
  expect(await apply(job('[redacted]'))).toMatchObject({ updated: ['a'] })
  expect(await apply(job('[redacted]'))).toMatchObject({ unchanged: ['a'] })
  const before = await app.store.jobs.findJob('a')
  const headers = { Authorization: 'by hand' }
  await node.evertick.jobs.update('a', { handler: { type: 'http', url: 'https://example.com/', headers } })
  expect(await apply(job('[redacted]'))).toMatchObject({ unchanged: ['a'] })
  expect((await app.store.jobs.findJob('a'))?.spec.handler).not.toEqual(before?.spec.handler)
})

test('[redacted] is refused where there is nothing to keep: on an empty database, and for another address', async () => {
  const { job, apply } = await opened()
  const refused = { code: 'invalid_definition', field: 'jobs.0.handler.headers.Authorization' }
  await expect(apply(job('[redacted]'))).rejects.toMatchObject(refused)
  await apply(job(canary))
  await expect(apply(job('[redacted]', 'https://evil.example/'))).rejects.toMatchObject(refused)
})
