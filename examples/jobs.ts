/**
 * The jobs of `npm start`. They do nothing useful, but they do it like the real ones: on time, in a zone, failing now
 * and then, and taking longer than they should. In your own code, import from 'evertick'.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJob } from '../src/index.ts'

/** Every few seconds. What is missed while the node is away is folded into one run. */
const heartbeat = defineJob({
  name: 'heartbeat',
  description: 'Says that it lives',
  schedule: { every: '5s', anchor: 'epoch' },
  catchUp: 'latest',
  async run(ctx) {
    await sleep(20, undefined, { signal: ctx.signal })
    return { lateness: ctx.lateness }
  },
})

/** A cron in a zone. Each missed minute runs, up to the newest three. */
const minuteReport = defineJob({
  name: 'minute-report',
  description: 'A report for each minute',
  schedule: { cron: '* * * * *', timezone: 'Europe/Madrid' },
  catchUp: { policy: 'all', maxMissedRuns: 3 },
  async run(ctx) {
    ctx.log.info(`The report of ${ctx.scheduledFor.toISOString()}`)
    await sleep(150, undefined, { signal: ctx.signal })
  },
})

/** A cron at a time of night that clock changes touch: `evertick cron "30 2 * * *" --tz Europe/Madrid`. */
const nightlyBackup = defineJob({
  name: 'nightly-backup',
  description: 'Copies everything, once a night',
  schedule: { cron: '30 2 * * *', timezone: 'Europe/Madrid' },
  catchUp: { policy: 'latest', window: '1d' },
  async run(ctx) {
    for (let part = 1; part <= 5; part += 1) {
      await sleep(400, undefined, { signal: ctx.signal })
      await ctx.progress(part / 5, `part ${part} of 5`)
    }
  },
})

/** Fails every second time at first, and is tried again after one second, then two. */
const flakyMail = defineJob({
  name: 'flaky-mail',
  description: 'Sends mail through a server that hiccups',
  schedule: { every: '20s', anchor: 'epoch' },
  retry: { attempts: 3, base: '1s' },
  async run(ctx) {
    await sleep(60, undefined, { signal: ctx.signal })
    const unlucky = (ctx.scheduledFor.getTime() / 20_000) % 2 === 0
    if (unlucky && ctx.attempt === 1) throw new Error('the mail server hung up')
  },
})

/** Takes longer than its interval: the tick that falls due meanwhile is skipped, and the ledger says why. */
const slowImport = defineJob({
  name: 'slow-import',
  description: 'Imports more than it can in time',
  schedule: { every: '10s', anchor: 'epoch' },
  overlap: 'skip',
  catchUp: 'none',
  async run(ctx) {
    for (let second = 1; second <= 12; second += 1) {
      await sleep(1_000, undefined, { signal: ctx.signal })
      await ctx.progress(second / 12)
    }
  },
})

export const exampleJobs = [heartbeat, minuteReport, nightlyBackup, flakyMail, slowImport]
