/**
 * A lease-based worker that books orders, to be killed while it works: no order is lost, and none is booked twice.
 * In your own code, import from 'evertick'.
 */
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ActiveProcessingJob, ProcessingJobService, ProcessingWorker } from '../../src/index.ts'

interface Order {
  readonly item: string
  readonly seconds: number
}

const folder = process.env['EVERTICK_DATA_DIR'] ?? '.evertick'
const file = `${folder}/processing-demo.db`
const database = `sqlite:${file}`
const say = (line: string) => console.log(`${new Date().toTimeString().slice(0, 8)}  ${line}`)

/** Your own table, in the same database: so that the order and the end of its job are one transaction. */
function ownTables(): DatabaseSync {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec('CREATE TABLE IF NOT EXISTS orders (job_id TEXT, item TEXT, attempt INTEGER)')
  return db
}

class OrderWorker extends ProcessingWorker<Order> {
  protected override async processJob(job: ActiveProcessingJob<Order>): Promise<string> {
    const { item, seconds } = job.payload
    for (let second = 1; second <= seconds; second += 1) {
      await sleep(1_000, undefined, { signal: job.signal })
      say(`  ${job.job_id}: ${'▪'.repeat(second)}${'·'.repeat(seconds - second)} packing ${item}`)
    }
    return await job.transaction(async (tx) => {
      await tx.sql`INSERT INTO orders (job_id, item, attempt) VALUES (${job.job_id}, ${item}, ${job.attempts})`
      return `${item} is on its way`
    })
  }
}

async function createJobs(seconds: number): Promise<void> {
  const service = new ProcessingJobService({ database })
  const items = ['tea', 'bread', 'honey']
  for (const [index, item] of items.entries()) {
    const job = await service.createJob({
      job_id: `order-${Date.now()}-${index + 1}`,
      payload: { item, seconds },
    })
    say(`created ${job.job_id}: ${item} (${job.status})`)
  }
  await service.close()
}

async function work(): Promise<void> {
  const db = ownTables()
  const worker = new OrderWorker({ database, leaseDurationSeconds: 3, pollIntervalMs: 1_000 })
  worker.on('job:started', (job) => say(`${job.job_id} starts, attempt ${job.attempts} of 3`))
  worker.on('job:completed', (job) => {
    say(`${job.job_id} is ${job.status}: ${String(job.result)}`)
    const booked = db.prepare('SELECT count(*) AS n FROM orders WHERE job_id = ?').get(job.job_id)
    say(`  booked ${String(booked?.['n'])} time(s)`)
  })
  worker.on('job:failed', (job, error) => say(`${job.job_id} failed (${job.status}): ${error.message}`))
  await worker.start()
  say(`${worker.getStatus().workerId} works, with leases of 3 seconds.`)
  say('Give it orders:   npx node examples/processing-worker/demo-lease-worker.ts create-jobs')
  say(`Crash it:         kill -9 ${process.pid}     then start it again`)
  say('Stop it:          Ctrl-C (twice: at once)')
}

const [, , command, seconds = '5'] = process.argv
if (command === 'create-jobs') await createJobs(Number(seconds))
else await work()
