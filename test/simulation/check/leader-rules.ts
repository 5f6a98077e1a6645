/** One leader at a time by the store's own record, and a report of its repairs that is true. */
import { leaseSlackMs } from '../../../src/core/attempt/lease.ts'
import { nominalSequence } from '../../../src/core/job/sequence.ts'
import { specFrom } from '../../../src/store/sql/runtime/rows.ts'
import type { Change, LockRow } from './change-log.ts'
import { at } from './ledger-entries.ts'
import type { Model } from './model.ts'
import type { Scene } from './scene.ts'
import { Violation } from './violation.ts'

export class LeaderRules {
  readonly #model: Model
  readonly #scene: Scene
  #lastTerm = 0
  terms = 0

  constructor(model: Model, scene: Scene) {
    this.#model = model
    this.#scene = scene
  }

  see(change: Change): void {
    if (change.table === 'lock') this.#seeLock(change.before, change.after)
    if (change.table !== 'term' || change.after === null) return
    if (change.before === null) {
      this.terms += 1
      if (change.after.id <= this.#lastTerm)
        throw new Violation('terms grow', `term ${change.after.id} is not new`)
      this.#lastTerm = change.after.id
    } else if (change.before.handled_missed_tasks === 0 && change.after.handled_missed_tasks === 1) {
      this.#checkHandled(Date.parse(`${change.after.start_time.replace(' ', 'T')}Z`))
    }
  }

  #seeLock(before: LockRow | null, after: LockRow | null): void {
    const { writer, wrongClocks } = this.#scene
    if (before === null || writer === null) return
    const what = before.name === 'leader' ? `the lead of ${before.holder}` : `the lock of ${before.holder}`
    if (after === null) {
      const isStepDown = before.name === 'leader' && writer.steppingDown
      if (before.holder !== writer.nodeId && !isStepDown)
        throw new Violation('only its holder frees a lock', `${writer.nodeId} freed ${what}`)
      return
    }
    if (after.token === before.token && after.fence === before.fence) {
      if (before.holder !== writer.nodeId)
        throw new Violation('only its holder extends a lock', `${writer.nodeId} extended ${what}`)
      return
    }
    const slackMs = before.name === 'leader' ? leaseSlackMs : 0
    const isEarly = !wrongClocks && before.expires_at + slackMs > writer.clock.now()
    if (isEarly && !this.#scene.isCut(before.lifeline))
      throw new Violation(
        'a lease is left its time',
        `${writer.nodeId} took ${what} before ${at(before.expires_at)}`,
      )
    if (isEarly) this.#checkTroubled(before, what)
    if (after.fence <= before.fence)
      throw new Violation('fences grow', `${what} passed on without a new fence`)
  }

  /** Whoever lost nothing but its lifeline had time enough to say so. */
  #checkTroubled({ holder, expires_at: expiresAt }: LockRow, what: string): void {
    const leader = this.#scene.member(holder)
    if (leader?.fate !== 'alive' || leader.stopping || leader.steppingDown) return
    const renewedAt = expiresAt - this.#scene.leaderLeaseMs
    if (leader.troubledAt < renewedAt - leaseSlackMs)
      throw new Violation('a healthy leader keeps its lead', `${what} was taken for a lifeline that broke`)
  }

  /** `handled_missed_tasks` says that nothing from before the term is left without account. */
  #checkHandled(termStart: number): void {
    for (const job of this.#model.jobs.values()) {
      if (job.state !== 'active') continue
      const next =
        nominalSequence(job.name, specFrom(job.spec))?.next(job.accounted_until - 1) ?? job.open_tick_at
      if (next !== null && next < termStart)
        throw new Violation(
          'handled means handled',
          `${job.name}: ${at(next)}, from before the term, has no account yet`,
          job.name,
        )
    }
  }
}
