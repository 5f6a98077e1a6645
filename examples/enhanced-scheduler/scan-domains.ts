/**
 * A scanner of web sites whose schedules another system keeps. Its API is a function here that changes its mind every
 * two seconds: it adds a domain, edits one, answers nonsense, and forgets everything for a moment.
 * In your own code, import from 'evertick'.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { EnhancedScheduler, type Logger } from '../../src/index.ts'

const shop = { schedule_id: 'shop', domain: 'shop.example', every: '1s', profile: 'quick' }
const blog = { schedule_id: 'blog', domain: 'blog.example', every: '2s', profile: 'deep' }
const news = { schedule_id: 'news', domain: 'news.example', cron: '* * * * * *', timezone: 'Europe/Madrid' }

/** What the API answers, one after the other, and what a person would say to it. */
const answers: readonly { readonly says: string; readonly answer: unknown }[] = [
  { says: 'two schedules', answer: [shop, blog] },
  { says: 'a third one, and blog every second', answer: [shop, { ...blog, every: '1s' }, news] },
  { says: 'one of them with a cron that cannot be', answer: [shop, blog, { ...news, cron: '99 * * * *' }] },
  { says: 'nothing at all', answer: [] },
  { says: 'all but the news', answer: [shop, blog] },
]
let asked = 0
const over = Promise.withResolvers<void>()

function fetchSchedules(): unknown {
  const { says, answer } = answers[Math.min(asked, answers.length - 1)] ?? { says: '', answer: [] }
  asked += 1
  if (asked > answers.length) over.resolve()
  else console.log(`\nThe API answers with ${says}.`)
  return answer
}

const quiet = () => {}
const logger: Logger = {
  debug: quiet,
  info: (message) => {
    if (message.startsWith('Synced') && asked <= answers.length) console.log(`  ${message}`)
  },
  warn: (message) => console.log(`  ${message}`),
  error: (message, details) => console.error(message, details),
}

const scheduler = new EnhancedScheduler({
  database: process.env['EVERTICK_DATABASE_URL'] ?? 'sqlite::memory:',
  maxWorkers: 5,
  enableApiSync: true,
  apiSyncInterval: 2,
  fetchSchedules,
  logger,
  onAdded: ({ scheduleId, domain }) => console.log(`  + ${scheduleId}: ${domain} is scanned from now on`),
  onModified: ({ scheduleId, enabled }) =>
    console.log(enabled ? `  ~ ${scheduleId} was changed` : `  ~ ${scheduleId} was disabled, not deleted`),
  async execute(schedule, context) {
    await sleep(80, undefined, { signal: context.signal })
    console.log(`    scanned ${schedule.domain}`)
    return { scanId: context.executionId }
  },
})

process.once('SIGINT', () => over.resolve())
await scheduler.start()
await over.promise

const { total, success, avgDurationMs } = await scheduler.history.getStatistics()
console.log(`\n${total} scans, ${success} of them well, ${Math.round(avgDurationMs ?? 0)} ms each.`)
for (const { scheduleId, enabled, lastStatus } of await scheduler.repository.list()) {
  console.log(`  ${scheduleId}: ${enabled ? 'enabled' : 'disabled'}, last run: ${lastStatus ?? 'none'}`)
}
const { ok, ticks } = await (await scheduler.evertick()).audit()
console.log(`${ticks} ticks, ${ok ? 'each accounted for exactly once' : 'and something is wrong'}.`)
await scheduler.stop()
