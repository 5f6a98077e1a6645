/** The part of the behaviour of every route that is about secrets. */
import { expect, test } from 'vitest'
import { openApiUnderTest } from './api-under-test.ts'
import { asking } from './asking.ts'

export function testSecrets(reachedOf: (reached: ReadonlySet<string>) => void): void {
  test('a secret is set, listed without its value, set again, sealed anew and deleted', async () => {
    const { ask, reached } = asking(await openApiUnderTest())
    const value = 'canary-7f3a9c'
    const set = await ask('POST', '/secrets', { name: 'token', value })
    expect([set.status, set.text]).toEqual([204, ''])
    await ask('POST', '/secrets', { name: 'token', value: `${value}-2` })
    const handler = { type: 'http', url: 'https://a.example/', headers: { 'X-Key': { secret: 'token' } } }
    const job = await ask('POST', '/jobs', { name: 'call', handler })
    expect(job.json['handler']).toMatchObject(handler)
    const listed = await ask('GET', '/secrets')
    expect(listed.json).toMatchObject({
      secrets: [{ name: 'token', changedBy: 'token:admin', usedBy: ['call'] }],
    })
    expect((await ask('DELETE', '/secrets/token')).json).toMatchObject({ status: 409, code: 'secret_in_use' })
    const rotated = await ask('POST', '/secrets/rotate')
    expect(rotated.json).toEqual({ resealed: 0, unchanged: 1, unreadable: [] })
    expect((await ask('DELETE', '/secrets/token?force=true')).status).toBe(204)
    expect((await ask('DELETE', '/secrets/token')).json).toMatchObject({
      status: 404,
      code: 'secret_missing',
    })
    const log = await ask('GET', '/audit-log?limit=5')
    const entries = log.json['entries'] as { action: string; subject: string; actor: string }[]
    expect(entries.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`)).toEqual([
      'token:admin secret.delete token',
      'token:admin secret.rotate secrets',
      'token:admin job.create call',
      'token:admin secret.set token',
      'token:admin secret.set token',
    ])
    expect(JSON.stringify([job, listed, log])).not.toContain('canary')
    reachedOf(reached)
  })
}
