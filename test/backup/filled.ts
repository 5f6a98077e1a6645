/** A database with something in every table that a backup holds: a day of a node's life, some of it still under way. */
import { contextOf } from '../../src/app/app-context.ts'
import { defineJob } from '../../src/index.ts'
import type { AccessRow } from '../../src/store/store.ts'
import { ManualClock, openTestNode, type TestNode } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'

/** Longer than any test waits on its clock. */
const hour = 3_600_000
const forEver = 400 * 86_400_000

const jobsOn = (clock: ManualClock) => [
  defineJob({
    name: 'often',
    schedule: { every: '2m' },
    retention: { executions: 20, age: '1h' },
    run: (ctx) => ({ at: ctx.scheduledFor.toISOString() }),
  }),
  defineJob({
    name: 'of-madrid',
    schedule: { cron: '30 * * * *', timezone: 'Europe/Madrid' },
    tags: ['daily', 'money'],
    metadata: { owner: 'Ana', 'odd ключ': '\u{1f600} "quoted" \\ \n' },
    async run(ctx) {
      ctx.log.info('Hello, Wörld \u{1f600}')
      await ctx.progress(0.4, 'nearly')
    },
  }),
  defineJob({
    name: 'fails',
    schedule: { every: '2h' },
    retry: { attempts: 2 },
    run: () => {
      throw new Error('It is "broken"\n\ttoday')
    },
  }),
  defineJob({
    name: 'sleeps',
    async run(ctx) {
      await ctx.step('first', () => Promise.resolve({ half: 'a \ud83d character' }))
      await ctx.sleep('a while', '30d')
    },
  }),
  defineJob({
    name: 'waits',
    run: async (ctx) => await ctx.waitFor('a word'),
  }),
  defineJob({
    name: 'hangs',
    timeout: '300d',
    run: async ({ signal }) => await clock.sleep(forEver, signal),
  }),
]

/** Its clock stands at a time of its own: whoever goes on from here gives it on. */
export async function openFilled(database: string): Promise<TestNode> {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'))
  const options = { database, clock, logger: quiet, migrate: true, jobs: jobsOn(clock) }
  const before = await openTestNode(options)
  const retention = { executions: 1, age: '1h' } as const
  await before.evertick.jobs.create({
    name: 'old',
    retention,
    handler: { type: 'function', name: 'often' },
  })
  for (let n = 0; n < 5; n += 1) await before.evertick.enqueue('old', { n }, { unique: `n${n}` })
  await before.advance('1h')
  await before.stop()
  clock.moveTo(clock.now() + 2 * hour)
  const node = await openTestNode(options)
  await node.advance('4h')
  await useAll(node)
  await node.advance('2s')
  await seal(node)
  return node
}

async function useAll({ evertick, clock }: TestNode): Promise<void> {
  const { store } = contextOf(evertick)
  const now = clock.now()
  await evertick.jobs.create({
    name: 'paused',
    schedule: { every: '1h' },
    handler: { type: 'function', name: 'fails' },
  })
  await evertick.jobs.pause('paused', { reason: 'holidays', actor: 'ann' })
  await evertick.enqueue('sleeps')
  await evertick.enqueue('waits', undefined, { unique: 'one', metadata: { of: 'Müller & Søn' } })
  await evertick.enqueue('hangs')
  await evertick.enqueue('often', undefined, { runAt: new Date(now + forEver), queue: 'night' })
  await evertick.queues.pause('night', { reason: 'too loud' })
  await evertick.locks.acquire('held', { ttl: '1h' })
  const lock = await evertick.locks.acquire('free', { ttl: '1h' })
  await lock?.release()
  for (const kind of ['token', 'session', 'link'] as const) await store.access.addAccess(accessOf(kind, now))
  await store.vault.putSecret({ name: 'token', sealed: 'of no key' }, { now, actor: 'ann' })
  await store.compat.claimMark({ mark: 'task:1', fence: 3, now, expiresAt: now + forEver })
}

async function seal({ evertick, clock }: TestNode): Promise<void> {
  const { store } = contextOf(evertick)
  const leader = await store.cluster.currentLeader()
  if (leader === null) throw new Error('The node does not lead.')
  const request = { leader, limit: 500, now: clock.now() }
  const { newest } = await store.audit.sealAuditLog({ ...request, upTo: 0 })
  await store.audit.sealAuditLog({ ...request, upTo: newest })
}

function accessOf(kind: AccessRow['kind'], now: number): AccessRow {
  return {
    id: `${kind}-1`,
    kind,
    name: 'ci',
    role: 'viewer',
    createdAt: now,
    createdBy: 'ann',
    parentId: null,
    expiresAt: now + forEver,
    usedAt: null,
    revokedAt: null,
  }
}
