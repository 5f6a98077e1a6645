/**
 * An app that was written for node-schedule: only its import has changed. Run it, stop it with Ctrl-C, wait a while, run
 * it again: it tells what it missed. In your own code, import from 'evertick/node-schedule'.
 */
import * as schedule from '../../src/compat/node-schedule/index.ts'

const seconds = Number(process.argv[2] ?? Number.POSITIVE_INFINITY)
// Without this, jobs are kept in EVERTICK_DATABASE_URL, or else in .evertick/node-schedule.db.
if (process.argv[3] !== undefined) schedule.configure({ database: process.argv[3] })

const time = (date: Date) => date.toISOString().slice(11, 19)

const tea = schedule.scheduleJob('tea', '*/2 * * * * *', (fireDate) => {
  const late = Math.round((Date.now() - fireDate.getTime()) / 1_000)
  console.log(`${time(fireDate)}  tea${late > 1 ? `, ${late} s late: nobody was there` : ''}`)
})
tea?.once('scheduled', (next: Date) => console.log(`Then again at ${time(next)}.`))

// A job without a name: node-schedule's way. It runs, but cannot be known again after a restart.
const rule = new schedule.RecurrenceRule()
rule.second = new schedule.Range(1, 59, 2)
schedule.scheduleJob(rule, (fireDate) => console.log(`${time(fireDate)}  biscuit`))

console.log(`The next tea is at ${tea?.nextInvocation() ? time(tea.nextInvocation() as Date) : 'no time'}.`)

async function stop(): Promise<void> {
  await schedule.gracefulShutdown()
  console.log('Come back in a minute: the tea that you missed will be told, once.')
}

process.once('SIGINT', () => void stop())
if (Number.isFinite(seconds)) schedule.scheduleJob(new Date(Date.now() + seconds * 1_000), () => void stop())
