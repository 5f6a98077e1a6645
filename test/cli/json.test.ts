import { describe, expect, test } from 'vitest'
import { sharedHistory } from './history.ts'
import { aNumber, aText, containing, errorOf, jsonOf, matching, runCli } from './run-cli.ts'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('JSON that other programs read', () => {
  const history = sharedHistory()

  test('cron needs no database', async () => {
    const args = [
      'cron',
      '30 2 * * *',
      '--tz',
      'Europe/Madrid',
      '--from',
      '2027-03-27T12:00:00Z',
      '--count',
      '2',
    ]
    const cron = await jsonOf(args, { cwd: history().cwd })
    expect(cron).toMatchObject({
      description: 'At 02:30 (Europe/Madrid)',
      next: ['2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z'],
    })
    expect(Object.keys(cron)).toEqual(['description', 'next', 'warnings'])
    expect(cron.warnings).toContain(
      '2027-03-28 02:30 does not exist in Europe/Madrid; the tick runs at 03:00.',
    )
  })

  test('explain says of every tick what became of it', async () => {
    const span = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T00:12:00Z']
    const explained = await jsonOf<{ job: string; ticks: { scheduledFor: string; account: string }[] }>(
      ['explain', 'minutely', ...span],
      history(),
    )
    expect(explained).toMatchObject({
      job: 'minutely',
      unaccounted: 0,
      ranges: [{ account: 'coalesced', reason: 'latest' }],
    })
    expect(explained.ticks.find(({ account }) => account === 'fired')).toEqual({
      scheduledFor: matching(iso),
      account: 'fired',
      executionId: aText,
      state: 'completed',
    })
    expect(explained.ticks.filter(({ account }) => account === 'coalesced').length).toBeGreaterThan(2)
  })

  test('audit counts, and is ok', async () => {
    const audit = await jsonOf(['audit'], history())
    expect(audit).toMatchObject({ ok: true, jobs: 3, unaccounted: 0, doubled: 0, unverifiable: 0 })
    for (const key of ['ticks', 'executions', 'ranges']) expect(audit[key]).toBeGreaterThan(0)
  })

  test('leader terms tell the gap and its repair, by instance, too', async () => {
    const { terms } = await jsonOf<{ terms: unknown[] }>(
      ['leader', 'terms', '--instance', 'second'],
      history(),
    )
    expect(terms).toEqual([
      expect.objectContaining({
        id: 2,
        leaderInstance: 'second',
        startTime: matching(iso),
        stopTime: matching(iso),
        lastHeartbeat: matching(iso),
        handledMissedTasks: true,
        effectiveEnd: matching(iso),
        missed: {
          found: aNumber,
          caughtUp: aNumber,
          coalesced: aNumber,
          skipped: aNumber,
        },
      }),
    ])
  })

  test('jobs and executions are the bodies of the REST interface', async () => {
    const list = await jsonOf<{ jobs: { name: string }[] }>(['jobs', 'list', '--limit', '2'], history())
    expect(list).toMatchObject({
      jobs: [{ name: 'each-minute' }, { name: 'failing' }],
      nextCursor: 'failing',
    })
    const job = await jsonOf(['job', 'show', 'minutely'], history())
    const members =
      'id name status state schedule scheduleText timezone handler nextRunAt lastRunAt lastExecution currentRetryCount isPaused pausedReason pausedUntil tags metadata revision managedBy actions createdAt updatedAt'
    expect(Object.keys(job)).toEqual(expect.arrayContaining(members.split(' ')))
    const page = await jsonOf<{ executions: { id: string }[]; nextCursor: string }>(
      ['executions', 'list', '--job', 'minutely', '--limit', '1'],
      history(),
    )
    expect(page).toMatchObject({
      executions: [{ job: 'minutely', state: 'completed' }],
      nextCursor: aText,
    })
    const id = page.executions[0]?.id ?? ''
    expect(await jsonOf(['executions', 'show', id], history())).toMatchObject({
      id,
      attempts: [{ outcome: 'completed' }],
    })
    expect(await jsonOf(['executions', 'logs', id], history())).toMatchObject({
      logs: [{ message: 'counted the money' }],
    })
  })

  test('an error is an object on standard error, and nothing is on standard output', async () => {
    const ended = await runCli(['jobs', 'show', 'nobody', '--json'], history())
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(errorOf(ended)).toEqual({
      code: 'job_not_found',
      message: 'There is no job "nobody".',
      next: containing('evertick jobs list'),
    })
    const usage = await runCli(['jobs', 'lst', '--json'], history())
    expect(errorOf(usage)).toMatchObject({ code: 'invalid_option', next: 'Did you mean list?' })
  })
})
