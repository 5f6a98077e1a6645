/**
 * Two lives of one process in a second: it runs, stops, comes back after two days, and catches up. In your own code, import
 * from 'evertick'.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PersistentScheduler } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'

const stateFile = join(mkdtempSync(join(tmpdir(), 'evertick-example-')), 'scheduler-state.json')
// A clock that we set, so that you need not wait for four days.
const clock = new ManualClock('2026-01-01T07:59:59Z')
const quiet = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error }

async function live(arrival: string): Promise<void> {
  clock.moveTo(Date.parse(arrival))
  console.log(`\n${day()}  the process starts`)
  const scheduler = new PersistentScheduler({ stateFile, clock, logger: { ...quiet, info: tell } })
  const ran = Promise.withResolvers<void>()
  let left = arrival.startsWith('2026-01-04') ? 2 : 1
  await scheduler.schedule({
    name: 'daily-backup',
    schedule: '0 8 * * *',
    timezone: 'UTC',
    maxMissedRuns: 2,
    task: ({ scheduledFor }) => {
      console.log(`${day()}  backup of ${scheduledFor.toISOString().slice(0, 10)}`)
      left -= 1
      if (left === 0) ran.resolve()
    },
  })
  const job = scheduler.getJob('daily-backup')
  const next = job?.nextRun()
  // On time where its hour is still to come; else what was missed is running already.
  if (next?.toISOString().slice(0, 10) === arrival.slice(0, 10)) clock.moveTo(next.getTime())
  await ran.promise
  await scheduler.shutdown()
  console.log(`${day()}  the process stops; next run: ${job?.nextRun()?.toISOString()}`)
}

function day(): string {
  return new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')
}

/** What the scheduler itself says of missed runs. */
function tell(message: string): void {
  if (message.startsWith('daily-backup')) console.log(`                  ${message}`)
}

await live('2026-01-01T07:59:59Z')
console.log('\n                  … two days off …')
await live('2026-01-04T10:00:00Z')

console.log('\nWhat it knows is in a file that you can read:')
const { jobs } = JSON.parse(readFileSync(stateFile, 'utf8')) as { jobs: unknown[] }
console.log(JSON.stringify(jobs[0], null, 2))
