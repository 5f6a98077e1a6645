/** The listed limitations: which hold for a file, and which a database lifts. */
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { Child } from '../../../process/child.ts'
import { until } from '../../../process/until.ts'
import { createMysql, createPostgres } from '../../../services/databases.ts'
import { expectClean, noting, type Ran, read, script, utc } from './support.ts'

export function limitations(): void {
  test('two processes do not share a file: the second is refused, and the first goes on', async () => {
    const stage = new Stage()
    const first = new Child(script, { stateFile: stage.stateFile })
    await first.heard('ran')
    const second = new Child(script, { stateFile: stage.stateFile })
    expect(await second.heard('refused')).toMatchObject({ code: 'state_file_busy' })
    expect((await second.exited).code).toBe(3)
    const count = first.all('ran').length
    await first.heard('ran', (said) => first.all('ran').indexOf(said) >= count)
  })

  test('a change of the host zone changes nothing: the zone of the first scheduling is stored', async () => {
    const stage = new Stage()
    vi.stubEnv('TZ', 'Asia/Tokyo')
    const ran: Ran = []
    const job = { name: 'a', schedule: '0 8 * * *', task: noting(ran) }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    expect(read(stage.stateFile).jobs[0]).toMatchObject({ timezone: 'Asia/Tokyo' })
    await stage.end(first)
    vi.stubEnv('TZ', 'America/New_York')
    const second = stage.begin()
    await second.scheduler.schedule(job)
    await stage.advance('1d')
    expect(ran).toEqual(['2026-01-01T23:00:00.000Z'])
  })

  test('a month of missed seconds is settled by arithmetic', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const job = { name: 'a', schedule: '* * * * * *', task: noting(ran), maxMissedRuns: 3, ...utc }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    await stage.end(first)
    await stage.away(31 * 86_400_000 + 500)
    const second = stage.begin()
    await second.scheduler.schedule(job)
    await stage.settle()
    expect(ran).toHaveLength(3)
    const evertick = await second.scheduler.evertick
    const span = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:01Z', limit: 1 }
    const { ranges } = await evertick.jobs.explain('a', span)
    expect(ranges).toMatchObject([{ reason: 'over_limit', count: 31 * 86_400 - 3 }])
    await expectClean(second.scheduler)
  })

  const postgresUrl = inject('postgresUrl')
  const mysqlUrl = inject('mysqlUrl')
  const engines: readonly (readonly [
    string,
    string | null,
    (folder: string) => Promise<{ url: string; drop(): Promise<void> }>,
  ])[] = [
    ['SQLite', '', async (folder: string) => ({ url: `sqlite:${folder}/state.db`, drop: async () => {} })],
    ['PostgreSQL', postgresUrl, () => createPostgres(postgresUrl ?? '')],
    ['MariaDB', mysqlUrl, () => createMysql(mysqlUrl ?? '')],
  ]
  for (const [name, server, create] of engines) {
    test.skipIf(server === null)(
      `on ${name} two processes share the jobs, each run once, also after a restart`,
      async () => {
        const stage = new Stage()
        const database = await create(stage.folder)
        onTestFinished(() => database.drop())
        const config = { stateFile: database.url, saveInterval: 60_000 }
        const ran: Ran = []
        const job = { name: 'report', schedule: '*/10 * * * *', task: noting(ran), maxMissedRuns: 2, ...utc }
        const [one, other] = [stage.begin(config), stage.begin(config)]
        await one.scheduler.schedule(job)
        await other.scheduler.schedule(job)
        await stage.advance('20m5s')
        expect(ran.map((at) => at.slice(11, 16))).toEqual(['00:10', '00:20'])
        const known = () => other.scheduler.getJobState('report')
        await until('the other to hear of it', async () => {
          await stage.advance('1m')
          return known()?.currentRunCount === 2
        })
        expect(known()).toMatchObject({ timezone: 'UTC', protect: true })
        await one.scheduler.setCatchUp('report', true)
        await stage.end(one)
        await stage.end(other)
        await stage.away('1d3m')
        const later = stage.begin(config)
        await later.scheduler.initialize()
        expect(later.scheduler.getAllJobStates().get('report')).toMatchObject({
          currentRunCount: 2,
          lastRun: new Date('2026-01-01T00:20:00.000Z'),
        })
        await later.scheduler.schedule(job)
        await stage.advance('1s')
        await until('two runs to be caught up', () => ran.length === 4)
        expect(ran.slice(2).map((at) => at.slice(8, 16))).toEqual(['02T00:10', '02T00:20'])
        const runs = () => later.scheduler.getJobState('report')?.currentRunCount
        await until('both runs to be counted', () => runs() === 4)
        await expectClean(later.scheduler)
      },
    )
  }
}
