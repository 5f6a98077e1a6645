/** An isolated handler that does what its input says, by every part of `ctx`. */
import { setTimeout as delay } from 'node:timers/promises'
import { type JobContext, outcome } from '../../../src/index.ts'

interface Asked {
  readonly do: keyof typeof deeds
  readonly with?: string
}

let runs = 0
let large = Buffer.alloc(0)

/** 64 MB, held from now on, and 300 ms of CPU time. */
function use(): void {
  large = Buffer.alloc(64 * 2 ** 20, 1)
  const before = process.cpuUsage()
  for (let used = process.cpuUsage(before); used.user + used.system < 300_000; ) {
    used = process.cpuUsage(before)
  }
}

const deeds = {
  plain: ({ signal, ...ctx }: JobContext) => ({
    ...ctx,
    isDate: ctx.scheduledFor instanceof Date,
    aborted: signal.aborted,
  }),
  runs: () => runs,
  pid: () => process.pid,
  async log({ log, progress }: JobContext) {
    log.info('said', { by: 'log' })
    process.stdout.write('printed\n')
    process.stderr.write('printed as an error\n')
    await progress(0.5, 'half')
  },
  enqueue: ({ enqueue }: JobContext) => enqueue({ name: 'other' }, { from: 'afar' }, { unique: 'one' }),
  async secret({ secrets, log }: JobContext) {
    const key = await secrets.get('key')
    log.info(`said ${key}`)
    process.stdout.write(`printed ${key}\n`)
    return { key, length: key.length }
  },
  async secretInError({ secrets }: JobContext) {
    throw new Error(`with ${await secrets.get('key')}`)
  },
  enqueueWithTx: ({ enqueue }: JobContext) => enqueue('other', null, { tx: {} }),
  enqueueFunction: ({ enqueue }: JobContext) => enqueue('other', { callMe: () => 1 }),
  transaction: ({ transaction, executionId }: JobContext) =>
    transaction(async (tx) => {
      await tx.sql`INSERT INTO orders (number, execution_id) VALUES (${7}, ${executionId})`
      const [order] = await tx.query('SELECT number FROM orders WHERE execution_id = ?', [executionId])
      return { number: order?.number }
    }),
  async steps({ step, attempt }: JobContext) {
    const one = await step('one', ({ signal, attempt: tries }) => ({ tries, aborted: signal.aborted }))
    await step('two', (tx) => tx.sql`INSERT INTO orders (number, execution_id) VALUES (${9}, 'two')`, {
      transaction: true,
    })
    if (attempt === 1) process.exit(5)
    return one
  },
  stepEnqueues: ({ step, enqueue }: JobContext) => step('order', () => enqueue('other')),
  stepClient: ({ step }: JobContext) => step('one', (tx) => String(tx.client), { transaction: true }),
  sleep: ({ sleep }: JobContext) => sleep('a while', '1h'),
  client: ({ transaction }: JobContext) => transaction(async (tx) => tx.client),
  dieInTransaction: ({ transaction, executionId }: JobContext) =>
    transaction(async (tx) => {
      await tx.sql`INSERT INTO orders (number, execution_id) VALUES (${8}, ${executionId})`
      process.exit(4)
    }),
  badSql: ({ transaction }: JobContext) =>
    transaction(async (tx) => await tx.query('SELECT nonsense FROM nowhere')),
  snooze: ({ attempt }: JobContext) => {
    if (runs > 1) return attempt
    throw outcome.snooze('1s')
  },
  fail: () => outcome.fail('no use'),
  throw() {
    throw Object.assign(new TypeError('strange'), { code: 'E_STRANGE' })
  },
  async heed({ signal }: JobContext) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    throw signal.reason
  },
  loop() {
    for (;;);
  },
  exit: () => process.exit(3),
  use() {
    use()
    return large.length
  },
  /** Long enough to be looked at. */
  async useAndExit() {
    use()
    await delay(600)
    process.exit(3)
  },
  useInTransaction: ({ transaction }: JobContext) =>
    transaction(async () => {
      use()
    }),
  circular() {
    const self: { self?: unknown } = {}
    self.self = self
    return self
  },
  async uncaught() {
    setTimeout(() => {
      throw new RangeError('nobody caught this')
    })
    await delay(60_000)
  },
} as const

export async function handler(ctx: JobContext<Asked>): Promise<unknown> {
  runs += 1
  return await deeds[ctx.input.do](ctx)
}
