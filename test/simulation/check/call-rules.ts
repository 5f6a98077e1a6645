/** What the store answered must be true of the database at that moment: a stale fence or term is refused. */
import { EvertickError } from '../../../src/core/error.ts'
import type { Verb, Verbs } from '../../../src/store/wrap-store.ts'
import type { Change, LockRow } from './change-log.ts'
import type { Model } from './model.ts'
import { Violation } from './violation.ts'

type Call<Name extends Verb> = Verbs[Name] extends (...args: infer Args) => Promise<infer Result>
  ? { readonly args: Args; readonly result: Result }
  : never

export class CallRules {
  readonly #model: Model
  /** Who led when the commit began. */
  #ledBefore: LockRow | undefined
  #locksBefore: ReadonlyMap<string, LockRow> = new Map()
  /** `id:fence` of the leases that the commit ended: after one of them, it may hold the next claim already. */
  readonly #endedNow = new Set<string>()
  /** Stale writes that the store has refused. */
  refused = 0

  constructor(model: Model) {
    this.#model = model
  }

  begin(): void {
    this.#ledBefore = this.#model.locks.get('leader')
    this.#locksBefore = new Map(this.#model.locks)
    this.#endedNow.clear()
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table !== 'execution') return
    const { before, after } = change
    if (before?.state === 'running' && after?.state !== 'running')
      this.#endedNow.add(`${before.id}:${before.fence}`)
  }

  /** Right after the commit, before anybody else can write. */
  answered(verb: string, args: readonly unknown[], result: unknown): void {
    const call = { args, result }
    switch (verb) {
      case 'enqueueExecutions':
        return this.#enqueued(call as unknown as Call<'enqueueExecutions'>)
      case 'enqueueIntoSlot':
        return this.#isWritten((args as Call<'enqueueIntoSlot'>['args'])[0].id)
      case 'triggerJob':
      case 'retryExecution':
      case 'beginExecution':
        return this.#isWritten((result as { readonly id: string }).id)
      case 'signalExecution':
        return this.#signalled(call as unknown as Call<'signalExecution'>)
      case 'accountTicks':
        return this.#accounted(call as unknown as Call<'accountTicks'>)
      case 'finishAttempts':
        return this.#finished(call as unknown as Call<'finishAttempts'>)
      case 'startAttempts':
        return this.#begun(call as unknown as Call<'startAttempts'>)
      case 'extendLeases':
        return this.#extended(call as unknown as Call<'extendLeases'>)
      case 'renewTerm':
        if (result === false) this.refused += 1
        return
      case 'releaseLock':
      case 'extendLock':
        return this.#ownLock(call as unknown as Call<'releaseLock'> | Call<'extendLock'>)
      default:
    }
  }

  /** The store threw: a stale holder's transaction was rolled back. */
  failed(error: unknown): void {
    if (error instanceof EvertickError && error.code === 'stale_lease') this.refused += 1
  }

  /** In a caller's own transaction nothing is written yet. */
  #enqueued({ args: [drafts, within], result }: Call<'enqueueExecutions'>): void {
    if (within !== undefined) return
    for (const [index, { id, created }] of result.entries()) {
      this.#isWritten(id)
      const draft = drafts[index]
      const stands = created
        ? id === draft?.id
        : this.#model.executions.get(id)?.unique_key === draft?.uniqueKey
      if (!stands) throw unwritten(id, `stands for ${draft?.id}, and has nothing to do with it`)
    }
  }

  #signalled({ args: [, { id, name }], result }: Call<'signalExecution'>): void {
    const { executionId, taken } = result
    if (taken && this.#model.steps(executionId).get(name)?.signal_id !== id)
      throw unwritten(executionId, `has taken the signal ${id}, and "${name}" knows nothing of it`)
  }

  #isWritten(id: string): void {
    if (!this.#model.executions.has(id)) throw unwritten(id, 'was acknowledged, and there is no such row')
  }

  #accounted({ args: [{ leader }], result }: Call<'accountTicks'>): void {
    if (!result.led) {
      this.refused += 1
      return
    }
    const now = this.#model.locks.get('leader')
    const leads = [this.#ledBefore, now].some(
      (lock) => lock?.holder === leader.holder && lock.fence === leader.termId,
    )
    if (!leads && result.accounted.length > 0)
      throw new Violation(
        'only the leader accounts',
        `${leader.holder} accounted ticks in term ${leader.termId}, but ${now?.holder ?? 'nobody'} leads`,
        result.accounted[0]?.jobName ?? null,
      )
  }

  /** The token decides, also between two holders in one process; without one, an operator does. */
  #ownLock({ args: [name, token], result }: Call<'releaseLock'> | Call<'extendLock'>): void {
    if (!result) {
      this.refused += 1
      return
    }
    const held = [this.#locksBefore.get(name), this.#model.locks.get(name)]
    if (token !== null && !held.some((lock) => lock?.token === token))
      throw new Violation('only its token frees a lock', `"${name}" was freed or extended by a former holder`)
  }

  #finished({ args: [{ attempts }], result }: Call<'finishAttempts'>): void {
    const refused = new Set(result.refused)
    this.refused += refused.size
    for (const { id, fence } of attempts) {
      if (!refused.has(id) && !this.#endedNow.has(`${id}:${fence}`))
        throw this.#stale(id, `ended under fence ${fence}, but no such lease was held`)
    }
  }

  #begun({ args: [claims], result }: Call<'startAttempts'>): void {
    this.refused += result.length
    for (const { id, fence } of claims) {
      if (!result.includes(id) && !this.#holds(id, fence))
        throw this.#stale(id, `began under fence ${fence}, but no such lease was held`)
    }
  }

  #extended({ args: [{ claims }], result }: Call<'extendLeases'>): void {
    this.refused += result.lost.length
    for (const { id, fence } of claims) {
      if (!result.lost.includes(id) && !this.#holds(id, fence))
        throw this.#stale(id, `its lease under fence ${fence} was extended, but no such lease was held`)
    }
  }

  #holds(id: string, fence: number): boolean {
    const row = this.#model.executions.get(id)
    return (row?.state === 'running' && row.fence === fence) || this.#endedNow.has(`${id}:${fence}`)
  }

  #stale(id: string, message: string): Violation {
    const row = this.#model.executions.get(id)
    const job = row === undefined ? null : this.#model.nameOf(row.job_id)
    return new Violation(
      'a stale fence is refused',
      `${job ?? '?'}, execution ${id.slice(-6)}: ${message}`,
      job,
    )
  }
}

function unwritten(id: string, message: string): Violation {
  return new Violation('what is acknowledged is written', `execution ${id.slice(-6)} ${message}`)
}
