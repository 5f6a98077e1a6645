/** The adapter beside the real node-schedule: the same answers and the same events, and over a restart what it lacks. */

import real from 'node-schedule'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import * as ours from '../../src/compat/node-schedule/index.ts'
import { seededRandom } from '../core/schedule/seeded-random.ts'
import { Stage } from './persistent-scheduler/stage.ts'

const start = '2026-01-01T00:00:00.000Z'

interface Life {
  readonly stage: Stage
  readonly said: string[]
}

/** The adapter on a database file of its own; `again` is the next process on it. */
function begin(stage = new Stage(start), more: ours.NodeScheduleOptions = {}): Life {
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  const logger = { debug: log, info: () => {}, warn: log, error: log }
  ours.configure({ database: `sqlite:${stage.folder}/jobs.db`, clock: stage.clock, logger, ...more })
  onTestFinished(() => end(stage))
  return { stage, said }
}

async function end(stage: Stage): Promise<void> {
  await stage.driven(ours.gracefulShutdown())
}

afterEach(() => {
  vi.useRealTimers()
  for (const name of Object.keys(real.scheduledJobs)) real.cancelJob(name)
})

describe('rules', () => {
  test('a random rule has the same next invocation', () => {
    const random = seededRandom(7)
    const whole = (below: number) => random.below(below)
    const segment = (from: number, to: number) => {
      const value = () => from + whole(to - from + 1)
      const kind = whole(5)
      if (kind === 0) return null
      if (kind === 1) return value()
      if (kind === 2) return [value(), value(), value()]
      const [low, high] = [value(), value()].toSorted((a, b) => a - b) as [number, number]
      return { low, high, step: kind === 3 ? 1 : 1 + whole(4) }
    }
    const made = (of: typeof real | typeof ours, part: ReturnType<typeof segment>) =>
      part !== null && typeof part === 'object' && 'low' in part
        ? new of.Range(part.low, Math.max(part.high, 1), part.step)
        : part
    let compared = 0
    for (let round = 0; round < 1_500; round += 1) {
      const fields = {
        month: segment(0, 11),
        date: whole(3) === 0 ? segment(1, 28) : null,
        dayOfWeek: whole(2) === 0 ? segment(0, 6) : null,
        hour: segment(0, 23),
        minute: segment(0, 59),
        second: segment(0, 59) ?? 0,
      }
      const base = new Date(Date.UTC(2026, whole(12), 1 + whole(28), whole(24), whole(60), whole(60)))
      const mine = new ours.RecurrenceRule()
      const theirs = new real.RecurrenceRule()
      for (const [name, part] of Object.entries(fields)) {
        Object.assign(mine, { [name]: made(ours, part) })
        Object.assign(theirs, { [name]: made(real, part) })
      }
      mine.tz = 'UTC'
      theirs.tz = 'UTC'
      // The real one searches for ever where nothing ever matches.
      if (!mine.isValid()) continue
      compared += 1
      const next = theirs.nextInvocationDate(base)
      expect({ fields, base, next: mine.nextInvocationDate(base) }).toEqual({ fields, base, next })
    }
    expect(compared).toBeGreaterThan(1_000)
  })

  test.each([
    ['an hour that no day has', { hour: 25 }],
    ['a 31st of April', { month: 3, date: 31 }],
    ['a word', { minute: 'soon' }],
  ])('%s is invalid, there and here', (_, fields) => {
    const theirs = Object.assign(new real.RecurrenceRule(), fields)
    const mine = Object.assign(new ours.RecurrenceRule(), fields)
    expect([mine.isValid(), mine.nextInvocationDate(new Date(start))]).toEqual([false, null])
    expect(theirs.isValid()).toBe(false)
  })

  test('one year, or years in a row, have their end; others are refused with what to do', () => {
    const yearly = (year: ours.RecurrenceSegment) => new ours.RecurrenceRule(year, 0, 1, null, 0, 0, 0, 'UTC')
    expect(yearly(2027).nextInvocationDate(new Date(start))).toEqual(new Date('2027-01-01T00:00:00Z'))
    expect(yearly(2027).nextInvocationDate(new Date('2027-01-01T00:00:00Z'))).toBeNull()
    const two = yearly(new ours.Range(2027, 2028)).nextInvocationDate(new Date('2027-06-01T00:00:00Z'))
    expect(two).toEqual(new Date('2028-01-01T00:00:00Z'))
    expect(() => yearly([2027, 2029]).isValid()).toThrow(
      expect.objectContaining({
        code: 'invalid_schedule',
        next: 'Schedule one job for each range of years.',
      }),
    )
  })

  test('a range with a step leaves its end out', () => {
    const range = [0, 10, 5] as const
    const [mine, theirs] = [new ours.Range(...range), new real.Range(...range)]
    for (let value = 0; value < 15; value += 1) expect(mine.contains(value)).toBe(theirs.contains(value))
    expect(new ours.Range(0, 10).contains(10)).toBe(true)
  })
})

/** What both are told, and what both then say. */
type Script = (
  library: Library,
  say: (what: string) => void,
  wait: (ms: number) => Promise<void>,
) => Promise<void>
type Library = Pick<typeof ours, 'scheduleJob' | 'rescheduleJob' | 'cancelJob' | 'scheduledJobs'>

const followed = (job: ours.Job | null, say: (what: string) => void) => {
  const at = (date: unknown) => new Date((date as Date).getTime()).toISOString().slice(11, 19)
  job?.on('scheduled', (date: unknown) => say(`scheduled ${at(date)}`))
  job?.on('canceled', (date: unknown) => say(`canceled ${at(date)}`))
  job?.on('run', () => say('run'))
  job?.on('success', (value: unknown) => say(`success ${String(value)}`))
  job?.on('error', (error: unknown) => say(`error ${String(error)}`))
  return job
}

const minute = 60_000
const utc = (rule: string) => ({ rule, tz: 'UTC' })

const scripts: Record<string, Script> = {
  'a job every minute': async ({ scheduleJob, scheduledJobs }, say, wait) => {
    const job = followed(
      scheduleJob('a', utc('* * * * *'), (at) => at.toISOString()),
      say,
    )
    say(`${job?.name} ${job?.pendingInvocations.length} ${job?.nextInvocation()?.getTime()}`)
    await wait(2 * minute + 1_000)
    say(`${job?.triggeredJobs()} ${Object.keys(scheduledJobs).join()}`)
  },
  'with seconds': async ({ scheduleJob }, say, wait) => {
    followed(
      scheduleJob('s', utc('*/20 * * * * *'), () => Promise.resolve('done')),
      say,
    )
    await wait(41_000)
  },
  'an object literal': async ({ scheduleJob }, say, wait) => {
    followed(
      scheduleJob('l', { minute: [1, 3], tz: 'UTC' }, () => {}),
      say,
    )
    await wait(4 * minute)
  },
  'start and end': async ({ scheduleJob }, say, wait) => {
    const spec = {
      rule: '* * * * *',
      start: new Date(Date.parse(start) + minute),
      end: new Date(Date.parse(start) + 3 * minute),
      tz: 'UTC',
    }
    const job = followed(
      scheduleJob('range', spec, () => {}),
      say,
    )
    await wait(6 * minute)
    say(`${job?.triggeredJobs()} ${String(job?.nextInvocation())}`)
  },
  'a date': async ({ scheduleJob, scheduledJobs }, say, wait) => {
    const job = followed(
      scheduleJob('once', new Date(Date.parse(start) + minute), () => 'once'),
      say,
    )
    say(String(Object.keys(scheduledJobs)))
    await wait(2 * minute)
    say(`${job?.triggeredJobs()} ${String(Object.keys(scheduledJobs))}`)
  },
  'a function that throws, and one that rejects': async ({ scheduleJob }, say, wait) => {
    const throws = () => {
      throw new Error('thrown')
    }
    followed(scheduleJob('throws', utc('* * * * *'), throws), say)
    await wait(minute + 1_000)
    followed(
      scheduleJob('rejects', utc('* * * * *'), () => Promise.reject(new Error('rejected'))),
      say,
    )
  },
  cancel: async ({ scheduleJob, cancelJob, scheduledJobs }, say, wait) => {
    followed(
      scheduleJob('c', utc('* * * * *'), () => {}),
      say,
    )
    await wait(minute + 1_000)
    say(`${cancelJob('c')} ${cancelJob('c')} ${String(Object.keys(scheduledJobs))}`)
    await wait(2 * minute)
  },
  cancelNext: async ({ scheduleJob }, say, wait) => {
    const job = followed(
      scheduleJob('n', utc('* * * * *'), () => {}),
      say,
    )
    say(`${job?.cancelNext()}`)
    await wait(3 * minute + 1_000)
    say(`${job?.cancelNext(false)} ${String(job?.nextInvocation())}`)
    await wait(2 * minute)
  },
  reschedule: async ({ scheduleJob, rescheduleJob }, say, wait) => {
    const job = followed(
      scheduleJob('r', utc('* * * * *'), () => {}),
      say,
    )
    await wait(minute + 1_000)
    say(`${rescheduleJob('r', utc('*/5 * * * *'))?.name} ${job?.triggeredJobs()}`)
    await wait(5 * minute)
    say(`${job?.triggeredJobs()} ${String(job?.reschedule('never'))}`)
  },
  invoke: async ({ scheduleJob }, say) => {
    const job = followed(
      scheduleJob('i', utc('0 0 1 1 *'), () => say('called')),
      say,
    )
    job?.invoke()
    say(String(job?.triggeredJobs()))
  },
  'what cannot be read, or has passed, is null': async ({ scheduleJob }, say) => {
    for (const spec of ['never', { hour: 25 }, '2020-01-01T00:00:00Z', new Date('2020-01-01T00:00:00Z')]) {
      say(scheduleJob(spec, () => {}) === null ? 'null' : 'a job')
    }
  },
  'a function that runs before each': async ({ scheduleJob }, say, wait) => {
    followed(
      scheduleJob(
        'b',
        utc('* * * * *'),
        () => say('work'),
        () => say('before'),
      ),
      say,
    )
    await wait(minute + 1_000)
  },
}

describe('the same events as the real one', () => {
  test.each(Object.entries(scripts))('%s', async (_, script) => {
    vi.useFakeTimers({ now: Date.parse(start) })
    const heard: string[] = []
    await script(
      real as unknown as Library,
      (what) => heard.push(what),
      async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
    )
    const expected = [...heard]
    for (const name of Object.keys(real.scheduledJobs)) real.cancelJob(name)
    vi.useRealTimers()
    const { stage } = begin()
    const said: string[] = []
    const library = { ...ours, scheduledJobs: ours.scheduledJobs }
    await script(
      library,
      (what) => said.push(what),
      async (ms) => {
        await ours.ready()
        await stage.advance(ms)
      },
    )
    await ours.ready()
    await stage.settle()
    expect(said).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
  })
})
