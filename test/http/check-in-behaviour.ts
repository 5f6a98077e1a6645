/** The part of the behaviour of every route that is about jobs which run elsewhere: what curl sends, and what it hears. */
import { expect, test } from 'vitest'
import { openApiUnderTest } from './api-under-test.ts'
import { asking } from './asking.ts'

/** On a node of its own: its clock is moved. */
export function testCheckIns(reachedOf: (reached: ReadonlySet<string>) => void): void {
  test('what runs elsewhere checks in by its address, and by nothing else', async () => {
    const api = await openApiUnderTest()
    const { ask, reached } = asking(api)
    const schedule = { every: '1h', anchor: 'epoch' }
    const handler = { type: 'check_in', within: '10m' }
    expect((await ask('POST', '/jobs', { name: 'host-backup', schedule, handler })).status).toBe(201)
    const shown = await ask('GET', '/jobs/host-backup')
    expect(shown.json).toMatchObject({ handler: { ...handler, early: '10s' }, overlap: 'allow' })
    const made = await ask('POST', '/jobs/host-backup/rotate-check-in')
    const { token, path } = made.json as { token: string; path: string }
    expect(path).toBe(`/ping/${token}`)
    const hourly = async () => await api.node.advance(3_600_000 - (api.node.clock.now() % 3_600_000))
    const states = async () =>
      (await api.node.executions('host-backup')).map(({ state, error }) => error?.message ?? state)

    await hourly()
    const { status, headers, text } = await ask('GET', path)
    expect([status, headers.get('content-type'), text]).toEqual([
      200,
      'text/plain',
      expect.stringMatching(/^OK: the run of .* is done\.\n$/),
    ])
    expect((await api.send('HEAD', path)).status).toBe(200)
    await hourly()
    expect((await ask('GET', `${path}/start`)).text).toContain('has begun')
    expect((await ask('GET', `${path}/0`)).text).toContain('is done')
    await hourly()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const output = await api.send('POST', `${path}/3`, { body: 'no space left\nat all', headers: form })
    expect([output.status, output.text]).toEqual([200, expect.stringContaining('has failed')])
    await hourly()
    // What a program prints need not be UTF-8.
    expect((await api.send('POST', path, { body: new Uint8Array([0xff, 0x00, 0x41]) })).status).toBe(200)
    await ask('POST', path)
    await ask('POST', `${path}/fail`)
    await api.node.advance('2s')
    expect(await states()).toEqual([
      'completed',
      'completed',
      'It reported a failure: exit status 3',
      'completed',
    ])
    reachedOf(reached)
  })

  test('an address that is no job’s, a wrong word and a flood are refused; no log has the address', async () => {
    const api = await openApiUnderTest({ rate: { perSecond: 1, burst: 3 } })
    const unknown = await api.send('GET', '/ping/canary-of-the-address')
    expect([unknown.status, unknown.json.code]).toEqual([404, 'check_in_not_found'])
    expect((await api.send('GET', '/ping/canary-of-the-address/256')).status).toBe(400)
    const large = { body: 'x'.repeat(1_048_577) }
    expect((await api.send('POST', '/ping/canary-of-the-address', large)).status).toBe(413)
    const flooded = await api.send('GET', '/ping/canary-of-the-address')
    expect([flooded.status, flooded.headers.has('retry-after')]).toEqual([429, true])
    expect(unknown.text).not.toContain('canary')
    expect(api.logged.join('\n')).not.toContain('canary')
  })
}
