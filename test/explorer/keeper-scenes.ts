/** Leadership, locks, marks, tokens and kept answers. */
import type { Store } from '../../src/store/store.ts'
import { by, day, idOf, jobSpec, t0 } from '../store/builders.ts'
import { at, type ByHand, leaseMs } from '../store/by-hand.ts'
import { term } from '../store/conformance/adoption.ts'
import { watchOnce } from '../store/watch-by-hand.ts'
import type { Verb, Verbs } from './scenes.ts'

const now = at(60)

export async function leaderVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  const elected = await store.cluster.electLeader({ nodeId: 'n0', now: t0, leaseMs })
  if (elected === null) throw new Error('nobody was elected')
  const leader = { termId: elected.id, holder: 'n0' }
  const seen = (await store.cluster.currentLeader()) ?? undefined
  await hand.create('a')
  await store.audit.appendAuditLog([entry('one'), entry('two')])
  const [newest] = await store.audit.listAuditLog({ limit: 1 })
  const upTo = newest?.id ?? 0
  const rule = { ...orphans, name: 'no-runner' } as const
  for (const name of ['no-runner', 'old']) await store.alerts.putAlertRule({ ...rule, name }, by(t0))
  await watchOnce(store, leader, t0)
  const [alert] = await store.alerts.listAlerts({ limit: 1, now: t0 })
  return {
    elect: (store, me) => store.cluster.electLeader({ nodeId: me, now, leaseMs }),
    'take over early': (store, me) =>
      store.cluster.electLeader({ nodeId: me, now: at(1), leaseMs, abandoned: seen }),
    renew: (store) => store.cluster.renewTerm({ ...leader, now, leaseMs, lifeline: null }),
    'end term': (store) => store.cluster.endTerm(leader.termId, 'n0', now),
    'missed handled': (store) => store.cluster.markMissedHandled(leader.termId, now),
    account: async (store) => {
      const jobs = [{ id: idOf('job-a'), version: 1, nextDueAt: at(10) }]
      const limits = { catchUpFrom: now, catchUpEveryMs: 0, maxExecutions: 10, outOfTime: () => false }
      const request = { leader, termStartAt: t0, jobs, now, aheadMs: 0, ...limits }
      const { led, accounted } = await store.ticks.accountTicks(request)
      return { led, accounted }
    },
    seal: async (store) => {
      const { led, sealed } = await store.audit.sealAuditLog({ leader, upTo, limit: 10, now })
      return { led, sealed }
    },
    'change alerts': async (store) => {
      const { led, opened, resolved } = await watchOnce(store, leader, now)
      return { led, opened: opened.length, resolved: resolved.length }
    },
    'tell alerts': (store) => store.alerts.tellAlerts({ leader, now, rule: 'no-runner', tiding: 'opened' }),
    'answer an alert': async (store) => {
      const answered = await store.alerts.answerAlert(alert?.id ?? '', { kind: 'ack', note: null }, by(now))
      return answered?.resolvedAt ?? null
    },
    'put a rule': (store, me) =>
      store.alerts.putAlertRule(
        { ...rule, name: 'own', severity: me === 'A' ? 'info' : 'critical' },
        by(now),
      ),
    'delete a rule': (store) => store.alerts.deleteAlertRule('old', by(now)),
    'purge alerts': (store) => store.alerts.purgeAlerts(now),
    'prune the audit log': (store) => store.audit.purgeAuditLog(now + 1, by(now)),
    'insert a term': (store) =>
      store.compat.insertLeaderLog({ leader_instance: 'other', start_time: now }, now),
    'update a term': (store) => store.compat.updateLeaderLog({ id: leader.termId }, { stop_time: now }, now),
  }
}

/** A job that nobody can run has an alert of each of these. */
const orphans = {
  kind: 'no_runner',
  enabled: true,
  severity: 'warning',
  jobs: null,
  forMs: 0,
  repeatMs: null,
  quiet: null,
  action: null,
  params: {},
} as const

function entry(subject: string) {
  return { at: t0, actor: 'ann', action: 'x', subject, before: null, after: null }
}

export async function lockVerbs(_: ByHand, store: Store): Promise<Verbs> {
  const expiresAt = now + day
  await store.cluster.acquireLock({ name: 'held', holder: 'n0', token: 't', now: t0, expiresAt })
  await store.cluster.acquireLock({ name: 'old', holder: 'n0', token: 't', now: t0, expiresAt: at(1) })
  await store.compat.claimMark({ mark: 'claimed', fence: 1, now: t0, expiresAt: at(1) })
  const acquire =
    (name: string): Verb =>
    (store, me) =>
      store.cluster.acquireLock({ name, holder: me, token: me, now, expiresAt })
  return {
    'acquire new': acquire('new'),
    'acquire old': acquire('old'),
    'acquire held': acquire('held'),
    'extend held': (store) => store.cluster.extendLock('held', 't', expiresAt + 1, now),
    'extend old': (store) => store.cluster.extendLock('old', 't', expiresAt + 1, at(0.5)),
    release: (store) => store.cluster.releaseLock('held', 't'),
    'release by an operator': (store) => store.cluster.releaseLock('held', null, by(now)),
    'clear expired': (store) => store.compat.clearExpiredLocks('', now),
    'claim mark': (store, me) =>
      store.compat.claimMark({ mark: 'claimed', fence: me === 'A' ? 2 : 3, now, expiresAt }),
    'claim new mark': (store, me) =>
      store.compat.claimMark({ mark: 'new', fence: me === 'A' ? 2 : 3, now, expiresAt }),
    'finish mark': (store) => store.compat.finishMark({ mark: 'claimed', fence: 1, now, expiresAt }),
    'purge marks': (store) => store.compat.purgeMarks(now, 10),
    'adopt terms': (store) => store.compat.adoptTerms([term(-2), term(-1)]),
    'pause queue': (store, me) => store.cluster.pauseQueue('q', me, by(now)),
    'resume queue': (store) => store.cluster.resumeQueue('q', by(now)),
  }
}

export async function accessVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  const access = (id: string) => ({
    id,
    kind: 'link' as const,
    name: id,
    role: 'viewer' as const,
    createdAt: t0,
    createdBy: 'ann',
    parentId: null,
    expiresAt: now + day,
    usedAt: null,
    revokedAt: null,
  })
  await store.access.addAccess(access('link'))
  const kept = (key: string, takenAt = now) => ({ caller: 'ann', key, hash: 'h', takenAt })
  await store.access.beginIdempotent(kept('known', t0))
  await store.vault.putSecret({ name: 'known', sealed: 'old' }, by(t0))
  const calls = { type: 'http', url: 'https://a.example/', method: null, body: null, expect: '2xx' } as const
  const sealing = (header: string) =>
    jobSpec({ schedule: null, handler: { ...calls, headers: { header, key: { sealed: 'old' } } } })
  await hand.create('sealed', sealing('first'))
  const answer = { status: 200, headers: {}, body: 'x' }
  return {
    add: (store, me) => store.access.addAccess(access(me)),
    revoke: (store) => store.access.revokeAccess('link', by(now)),
    redeem: async (store) => (await store.access.redeemLink('link', now)) !== null,
    // Two transactions, and how much went is a report, not a promise.
    purge: async (store) => void (await store.access.purgeAccess(now + 90 * day)),
    'begin new': (store) => store.access.beginIdempotent(kept('new')),
    'begin known': (store) => store.access.beginIdempotent(kept('known', now + 60_000)),
    'end known': (store) => store.access.endIdempotent(kept('known', t0), answer),
    'set a new secret': (store, me) => store.vault.putSecret({ name: 'new', sealed: me }, by(now)),
    'set a known secret': (store, me) => store.vault.putSecret({ name: 'known', sealed: me }, by(now)),
    'delete a secret': (store) => store.vault.deleteSecret('known', by(now), { used: 'delete' }),
    'seal a secret anew': (store) => store.vault.resealSecret('known', { from: 'old', to: 'new' }),
    'seal a job anew': (store) => store.vault.resealJob(idOf('job-sealed'), [{ from: 'old', to: 'new' }]),
    'edit a sealed job': async (store, me) =>
      void (await store.jobs.changeJob('sealed', { kind: 'edit', spec: sealing(me) }, by(now))),
    'give up known': (store) => store.access.endIdempotent(kept('known', t0), 'undone'),
  }
}
