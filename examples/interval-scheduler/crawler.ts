/** A crawler on an IntervalScheduler. Run it with `node examples/interval-scheduler/crawler.ts`. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type IntervalJob, IntervalScheduler } from '../../src/index.ts'

const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`)

/** Your own code: fetch the pages of a site. The second site is down at first. */
async function crawl(job: IntervalJob, attempt: number, signal: AbortSignal): Promise<{ pages: number }> {
  await sleep(50, undefined, { signal })
  if (job.name === 'site-b' && attempt === 1) throw new Error('connection refused')
  return { pages: 3 }
}

const scheduler = new IntervalScheduler({
  database: 'sqlite::memory:',
  metricsInterval: '1s',
  handlers: { crawl: (job, { attempt, signal }) => crawl(job, attempt, signal) },
})

scheduler.on('execution:completed', ({ job, attempt, result }) => {
  const { pages } = result as { pages: number }
  say(`✓ ${job}: ${pages} pages${attempt === 1 ? '' : `, at attempt ${attempt}`}`)
})
scheduler.on('execution:retrying', ({ job, error, readyAt }) => {
  say(`✗ ${job}: ${error?.message}; again at ${readyAt.toISOString().slice(11, 19)}`)
})

await scheduler.start()
say('The scheduler runs. Ctrl-C ends it, and so do ten seconds.')

// 0.05 minutes are three seconds.
await scheduler.createJob({ name: 'site-a', interval_minutes: 0.05 })
await scheduler.createJob({ name: 'site-b', interval_minutes: 0.05, max_retries: 2, retry: { base: '1s' } })
const legacy = await scheduler.createJob({
  name: 'site-c',
  interval_minutes: 1,
  interval_type: 'hours',
  schedule_time: '0 * * * *',
})
say(`· site-c has an interval and a cron: the interval wins, next at ${legacy.next_run_at?.toISOString()}`)
await scheduler.createJob({ name: 'at-once' })

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
await Promise.race([sleep(5_000), once(stopped.signal, 'abort')])

if (!stopped.signal.aborted) {
  const { status } = await scheduler.pauseJob('site-a', { reason: 'they asked us to' })
  say(`· site-a is ${status}; nothing of it runs for three seconds`)
  await Promise.race([sleep(3_500), once(stopped.signal, 'abort')])
  say(`· site-a is ${(await scheduler.resumeJob('site-a')).status} again`)
}

const { jobs } = await scheduler.jobs.list()
for (const { name, status } of jobs) {
  const { completed, failed, avgDurationMs } = await scheduler.executions.getJobStats(name)
  const average = avgDurationMs === null ? '' : `, ${Math.round(avgDurationMs)} ms each`
  say(`  ${name.padEnd(8)} ${status.padEnd(10)} ${completed} completed, ${failed} failed${average}`)
}
const { successRate } = await scheduler.executions.getAggregateStats()
say(`Success rate: ${Math.round((successRate ?? 0) * 100)} %. Goodbye.`)
await scheduler.stop()
