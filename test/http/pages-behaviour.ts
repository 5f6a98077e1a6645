/** The part of the behaviour of every route that is about lists and their pages. */
import { expect, test } from 'vitest'
import type { Answered } from './api-under-test.ts'
import type { Asking } from './asking.ts'

export function testPages(asked: () => Pick<Asking, 'ask'>): void {
  test('every list is walked page by page, without a gap and without a double', async () => {
    const { ask } = asked()
    for (let number = 0; number < 25; number += 1)
      await ask('POST', '/jobs', { name: `page-${number}`, runNow: false })
    for (let number = 0; number < 25; number += 1) await ask('POST', '/executions', { job: 'page-0' })
    const walk = async (path: string, list: string) => {
      const seen: unknown[] = []
      let cursor: string | number | null = null
      do {
        const next = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const { json }: Answered = await ask('GET', `${path}limit=7${next}`)
        seen.push(...(json[list] as { id: unknown }[]).map(({ id }) => id))
        cursor = json.nextCursor as string | number | null
      } while (cursor !== null)
      return seen
    }
    for (const order of ['', 'sort=-createdAt&', 'sort=nextRunAt&']) {
      const jobs = await walk(`/jobs?filter=page-&${order}`, 'jobs')
      expect([jobs.length, new Set(jobs).size]).toEqual([25, 25])
    }
    for (const order of ['createdAt', 'nextRunAt', 'status']) {
      for (const cursor of ['page-3', 'page-3|page-3', '1|']) {
        const { json } = await ask('GET', `/jobs?sort=${order}&cursor=${encodeURIComponent(cursor)}`)
        expect(json).toMatchObject({ status: 400, field: 'cursor' })
      }
    }
    expect((await ask('GET', '/executions?cursor=page-3')).json).toMatchObject({ executions: [] })
    const executions = await walk('/executions?filter=page-0&sort=-createdAt&', 'executions')
    expect([executions.length, new Set(executions).size]).toEqual([25, 25])
    const entries = await walk('/audit-log?', 'entries')
    expect(new Set(entries).size).toBe(entries.length)
    expect(entries).toEqual(
      ((await ask('GET', '/audit-log?limit=200')).json.entries as { id: unknown }[]).map(({ id }) => id),
    )
  })
}
