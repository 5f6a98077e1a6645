/**
 * Random lives on one state file: schedule, let time pass, crash, stop, pause, resume, come back. Each due tick runs to
 * its end exactly once, or was beyond the limit, paused or overlapped, and the ledger says so.
 */
import { expect, test } from 'vitest'
import type { Duration } from '../../../src/index.ts'
import { nextTicks } from '../../../src/index.ts'
import { type SeededRandom, seededRandom } from '../../core/schedule/seeded-random.ts'
import { memoryFiles } from './memory-files.ts'
import { type Life, Stage } from './stage.ts'

const seeds = Number(process.env['EVERTICK_FILE_HISTORIES'] ?? 30)
const cron = '*/10 * * * *'
const maxMissedRuns = 3
/** Long enough for everything that is owed. */
const lastMs = 5_400_000
const away = ['5m', '25m', '1h', '7h'] as const satisfies readonly Duration[]
const alive = ['3m', '12m', '30m'] as const satisfies readonly Duration[]

class History {
  readonly stage = new Stage()
  /** How often each tick ran to its end, in lives that heard of it. */
  readonly ended = new Map<string, number>()
  readonly accounts = new Map<string, string>()
  /** When the ledger of a life was not in order. */
  readonly unclean: string[] = []
  readonly #random: SeededRandom
  readonly #files = memoryFiles()
  #life: Life | null = null

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  async play(): Promise<void> {
    for (let step = 0; step < 10; step += 1) await this.#step()
    if (this.#life === null) await this.#begin()
    await this.#life?.scheduler.resumeJob('job')
    await this.stage.advance(lastMs)
    await this.#note()
  }

  async #step(): Promise<void> {
    const life = this.#life
    if (life === null) return await this.#begin()
    const { scheduler } = life
    const kind = this.#random.below(7)
    if (kind <= 2) await this.stage.advance(this.#random.pick(alive))
    else if (kind === 3) await scheduler.pauseJob('job')
    else if (kind === 4) await scheduler.resumeJob('job')
    else await this.#leave(life, kind === 5)
  }

  async #begin(): Promise<void> {
    const life = this.stage.begin({}, this.#files)
    this.#life = life
    await life.scheduler.schedule({
      name: 'job',
      schedule: cron,
      timezone: 'UTC',
      maxMissedRuns,
      task: async ({ scheduledFor, signal }) => {
        await this.stage.clock.sleep(this.#random.pick([0, 60_000, 400_000]), signal)
        if (signal.aborted || life.dead) return await Promise.reject(new Error('the process is dead'))
        const tick = scheduledFor.toISOString()
        return this.ended.set(tick, (this.ended.get(tick) ?? 0) + 1)
      },
    })
    await this.stage.settle()
    // Now, since retention takes what lies before this life's ledger.
    await this.#note()
  }

  async #leave(life: Life, gracefully: boolean): Promise<void> {
    await this.#note()
    if (gracefully) await this.stage.end(life)
    else {
      // What has ended is on disk: only what runs now is repeated.
      await life.scheduler.save()
      await this.stage.crash(life)
    }
    this.#life = null
    await this.stage.away(this.#random.pick(away))
  }

  /** What the ledger of this life says of its ticks, and that it is in order. */
  async #note(): Promise<void> {
    const evertick = await this.#life?.scheduler.evertick
    if (evertick === undefined) return
    if (!(await evertick.audit()).ok) this.unclean.push(new Date(this.stage.clock.now()).toISOString())
    const span = { from: '2026-01-01T00:00:00Z', to: new Date(this.stage.clock.now() + 1), limit: 10_000 }
    for (const { scheduledFor, account, reason } of (await evertick.jobs.explain('job', span)).ticks) {
      if (account === 'purged' || account === 'undecided' || account === 'upcoming') continue
      this.accounts.set(new Date(scheduledFor).toISOString(), reason ?? account)
    }
    // Also those that a former life has accounted for, and that newer ones have pushed out since.
    const { executions } = await evertick.executions.list({ job: 'job', limit: 10_000 })
    for (const { scheduledFor, cancelReason } of executions) {
      if (cancelReason !== null) this.accounts.set(scheduledFor.toISOString(), cancelReason)
    }
  }
}

const notRun = new Set(['over_limit', 'paused', 'overlap', 'superseded'])
/** What became of the ticks of all histories: a few seeds need not come to everything, all of them must. */
const words = new Set<string>()

test.each(Array.from({ length: 10 }, (_, group) => group))(
  'seeds %i: each tick once, or with its reason',
  async (group) => {
    for (let seed = group * (seeds / 10); seed < (group + 1) * (seeds / 10); seed += 1) {
      const history = new History(seed)
      await history.play()
      expect({ seed, unclean: history.unclean }).toEqual({ seed, unclean: [] })
      const until = new Date(history.stage.clock.now() - lastMs)
      const due = nextTicks({ cron }, { from: '2026-01-01T00:00:00Z', until, count: 10_000 })
      for (const tick of due.map((at) => at.toISOString())) {
        const runs = history.ended.get(tick) ?? 0
        const word = history.accounts.get(tick) ?? 'nothing'
        words.add(word)
        const expected = notRun.has(word) ? 0 : 1
        expect({ seed, tick, word, runs }).toEqual({ seed, tick, word, runs: expected })
      }
    }
  },
  120_000,
)

test('the histories come to every account', () => {
  expect([...words].toSorted()).toEqual(['caught_up', 'fired', 'over_limit', 'paused', 'superseded'])
})
