/** The jobs of a company that one could work for, with handlers that take their time on the node's own clock. */
import { z } from 'zod'
import { defineJob, type JobOptions } from '../../../src/index.ts'
import type { ManualClock } from '../../../src/testing/index.ts'

/** From 0 to below 1, the same for the same words: a month that is the same in each run. */
function chance(...words: readonly unknown[]): number {
  let hash = 2_166_136_261
  for (const letter of words.join('|')) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619)
  return ((hash >>> 8) & 0xffffff) / 0x1000000
}

interface Kind extends Omit<JobOptions, 'name'> {
  /** How long it takes, typically. */
  readonly takesMs: number
  /** How often an attempt fails, of all. */
  readonly fails?: number
  /** How often it takes over an hour, so that the next tick finds it still going. */
  readonly hangs?: number
  readonly error?: string
  readonly says?: readonly string[]
}

const kinds: Readonly<Record<string, Kind>> = {
  'billing.send-invoices': {
    schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Madrid' },
    description: 'Makes the invoices of the day and mails them.',
    tags: ['billing', 'mail'],
    catchUp: { policy: 'all', maxMissedRuns: 3 },
    retry: { attempts: 5, base: '1m' },
    takesMs: 7_833,
    fails: 0.12,
    error: 'SMTP 421: too many connections from your host',
    says: ['read 212 open orders', 'rendered 212 invoices', 'mailed 212 of 212'],
  },
  'billing.collect-payments': {
    schedule: { cron: '*/30 * * * *' },
    tags: ['billing'],
    overlap: 'buffer_one',
    takesMs: 1_750,
    fails: 0.03,
    error: 'card network answered 502',
  },
  'billing.dunning': {
    schedule: { cron: '30 10 * * 2', timezone: 'Europe/Madrid' },
    tags: ['billing', 'mail'],
    takesMs: 2_750,
  },
  'reports.nightly': {
    schedule: { cron: '30 2 * * *', timezone: 'Europe/Madrid' },
    description: 'The figures of yesterday, for everybody’s breakfast.',
    tags: ['reports'],
    takesMs: 17_666,
    fails: 0.05,
    error: 'warehouse: query exceeded its memory limit',
    says: ['orders: 18,204 rows', 'refunds: 311 rows', 'wrote report-2026.parquet'],
  },
  'reports.new-york': {
    schedule: { cron: '30 1 * * *', timezone: 'America/New_York' },
    tags: ['reports'],
    takesMs: 20_000,
  },
  'reports.hourly-kpis': {
    schedule: { cron: '5 * * * *' },
    tags: ['reports'],
    takesMs: 3_833,
    fails: 0.02,
    error: 'read timed out',
  },
  'backup.database': {
    schedule: { cron: '0 3 * * *' },
    tags: ['backup', 'critical'],
    catchUp: 'latest',
    timeout: '2h',
    takesMs: 28_333,
    fails: 0.06,
    error: 'pg_dump: server closed the connection unexpectedly',
  },
  'backup.files': { schedule: { every: '6h', anchor: 'epoch' }, tags: ['backup'], takesMs: 5_083 },
  'backup.verify': { schedule: { cron: '0 5 * * 0' }, tags: ['backup'], takesMs: 24_166 },
  'mail.digest': {
    schedule: { cron: '0 8 * * 1', timezone: 'America/New_York' },
    tags: ['mail'],
    takesMs: 5_916,
  },
  'mail.bounces': {
    schedule: { every: '2h', anchor: 'epoch' },
    tags: ['mail'],
    takesMs: 666,
    fails: 0.3,
    error: 'IMAP: mailbox is locked',
  },
  'import.orders': {
    schedule: { cron: '15 * * * *' },
    description: 'Orders of the partner’s API.',
    tags: ['import'],
    overlap: 'skip',
    takesMs: 3_333,
    hangs: 0.008,
    fails: 0.04,
    error: 'partner API: 503 Service Unavailable',
  },
  'import.exchange-rates': {
    schedule: { cron: '0 6,18 * * *', timezone: 'Asia/Kolkata' },
    tags: ['import'],
    takesMs: 400,
  },
  'import.catalogue': {
    schedule: { fixedDelay: '8h' },
    tags: ['import'],
    takesMs: 7_500,
    fails: 0.1,
    error: 'line 40,112: unexpected end of file',
  },
  'search.reindex': { schedule: { cron: '45 1 * * *' }, tags: ['search'], queue: 'slow', takesMs: 20_000 },
  'search.warm-cache': { schedule: { every: '3h', anchor: 'epoch' }, tags: ['search'], takesMs: 1_000 },
  'crm.sync-contacts': {
    schedule: { cron: '20 */4 * * *' },
    tags: ['crm'],
    catchUp: 'none',
    takesMs: 11_666,
    fails: 0.08,
    error: 'HubSpot: rate limit reached',
  },
  'ops.rotate-certificates': {
    schedule: { cron: '0 4 1,15 * *' },
    tags: ['ops', 'critical'],
    takesMs: 1_583,
  },
  'ops.prune-sessions': { schedule: { cron: '10 0 * * *' }, tags: ['ops'], takesMs: 2_583 },
  'ops.midnight-totals': { schedule: { cron: '0 0 * * *' }, tags: ['ops'], takesMs: 5_333 },
  'ops.midnight-quota': { schedule: { cron: '0 0 * * *' }, tags: ['ops'], takesMs: 1_000 },
  'ops.midnight-audit': { schedule: { cron: '0 0 * * *' }, tags: ['ops'], takesMs: 7_333 },
  'legacy.ftp-drop': {
    schedule: { cron: '40 23 * * *' },
    tags: ['legacy'],
    retry: { attempts: 2, base: '30s' },
    takesMs: 400,
    fails: 0.75,
    error: 'ECONNREFUSED ftp.old-partner.example:21',
  },
  'ml.train-ranking': { schedule: { cron: '0 1 * * 6' }, tags: ['ml'], queue: 'slow', takesMs: 45_000 },
}

/** Beside them, one that is only ever asked for, with an input that a form can be made of. */
const exportInput = z.object({
  customer: z.string().min(1).describe('Whose data'),
  format: z.enum(['csv', 'json', 'parquet']).default('csv'),
  rows: z.int().min(1).max(1_000_000).default(1_000),
  withHistory: z.boolean().default(false),
})

export function monthJobs(clock: ManualClock) {
  const scheduled = Object.entries(kinds).map(
    ([name, { takesMs, fails = 0, hangs = 0, error = 'failed', says = [], ...options }]) =>
      defineJob({
        name,
        retention: { executions: 2_000, age: '90d' },
        ...options,
        run: async (ctx) => {
          const dice = (what: string) => chance(name, ctx.scheduledFor.getTime(), ctx.attempt, what)
          for (const [index, line] of says.entries()) {
            ctx.log.info(line)
            await ctx.progress((index + 1) / (says.length + 1), line)
          }
          const usual = takesMs * (0.6 + 0.7 * dice('length') + (dice('slow') > 0.96 ? 1.5 : 0))
          const ms = Math.round(dice('hangs') < hangs ? 4_000_000 : usual)
          await clock.sleep(ms, ctx.signal)
          if (dice('fails') < fails) throw new Error(error)
          return { rows: Math.floor(dice('rows') * 20_000), ms }
        },
      }),
  )
  const wanted = defineJob({
    name: 'export.customer-data',
    description: 'Everything that we know of one customer, as a file.',
    tags: ['privacy'],
    input: exportInput,
    run: async (ctx) => {
      ctx.log.info(`exporting ${ctx.input.rows} rows of ${ctx.input.customer}`)
      await clock.sleep(6_000, ctx.signal)
      return { file: `${ctx.input.customer}.${ctx.input.format}` }
    },
  })
  return [...scheduled, wanted]
}
