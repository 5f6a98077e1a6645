/** What an execution remembers of its earlier attempts, by name; and how this attempt adds to it. */
import { EvertickError } from '../../../core/error.ts'
import { refuseStepName, type Step, type StepKind } from '../../../core/execution/step.ts'
import { withoutSecretShapes } from '../../../core/job/secret-text.ts'
import { refuseLong } from '../../../core/payload.ts'
import type { ClaimedExecution, StepRecord } from '../../../store/store.ts'
import type { EngineContext } from '../../context.ts'
import type { Held } from '../held.ts'
import type { LeaseKeeper } from '../lease-keeper.ts'
import { failedBy } from '../outcome-signal.ts'

/** Writes a memo, as often as it takes; false where it is no longer ours to write. */
export type Remember = (record: StepRecord, written: (ours: boolean) => void) => void

export type Draft = Pick<StepRecord, 'name' | 'kind' | 'begunAt' | 'decided'> &
  Partial<Pick<StepRecord, 'tries' | 'endsAt'>>

export class Memos {
  readonly #context: EngineContext
  readonly #parts: { readonly keeper: LeaseKeeper; readonly remember: Remember }
  readonly #claim: ClaimedExecution
  readonly #held: Held
  readonly #used = new Set<string>()
  /** What this attempt has begun or decided. */
  readonly #written = new Set<string>()
  #read: Promise<ReadonlyMap<string, Step>> | null = null
  /** What earlier attempts have left, once it is read. */
  #known: ReadonlyMap<string, Step> = new Map()

  constructor(
    context: EngineContext,
    parts: { readonly keeper: LeaseKeeper; readonly remember: Remember },
    claim: ClaimedExecution,
    held: Held,
  ) {
    this.#context = context
    this.#parts = parts
    this.#claim = claim
    this.#held = held
  }

  /** What is remembered under a name, which this attempt has not used yet; null where it is the first to come here. */
  async begin(name: string, kind: StepKind): Promise<Step | null> {
    refuseStepName(name)
    if (this.#used.has(name)) throw usedTwice(name)
    this.#used.add(name)
    this.#read ??= this.#readAll()
    const memo = (await this.#read).get(name) ?? null
    this.refuseLost()
    if (memo === null || memo.kind === kind) return memo
    // A signal that no wait has heard: the memo will take its place.
    if (memo.kind === 'wait' && memo.attempt === null) return null
    throw failedBy(otherKind(memo, kind))
  }

  /** Nothing begins on a lease that has run out by this node's own clock: another worker may be at it. */
  refuseLost(): void {
    const { keeper } = this.#parts
    if (this.#held.leasedUntil <= this.#context.clock.now()) keeper.abort(this.#held, 'lost')
    this.#held.signal.throwIfAborted()
  }

  recordOf({ name, kind, begunAt, decided, tries = 1, endsAt = null }: Draft): StepRecord {
    const { id, fence, attempt } = this.#claim
    return { id, fence, attempt, name, kind, begunAt, decided, tries, endsAt }
  }

  /** An earlier attempt has gone on behind it; this one has not, and is not woken by it either. */
  isRemembered({ name, restFence }: Pick<Step, 'name' | 'restFence'>): boolean {
    return !this.#written.has(name) && restFence !== this.#claim.fence - 1
  }

  async record(draft: Draft): Promise<void> {
    this.#written.add(draft.name)
    const ours = await new Promise<boolean>((resolve) => this.#parts.remember(this.recordOf(draft), resolve))
    if (ours) return this.tell({ ...draft, outcome: draft.decided?.outcome ?? null })
    this.#parts.keeper.abort(this.#held, 'lost')
    this.#held.signal.throwIfAborted()
  }

  /** Names that an earlier attempt has begun, and this one has not come to. A signal may come before its wait. */
  get notCalled(): string[] {
    const begun = [...this.#known.values()].filter(({ attempt }) => attempt !== null)
    return begun.map(({ name }) => name).filter((name) => !this.#used.has(name))
  }

  /** As it stands in the database now. */
  async look(name: string): Promise<Step | null> {
    const steps = await this.#context.store.steps.listSteps(this.#claim.id)
    return steps.find((step) => step.name === name) ?? null
  }

  /** JSON that may be stored, or null for nothing. */
  written(name: string, value: unknown): string | null {
    const written = jsonOf(name, value)
    if (written === undefined) return null
    const held = this.#held
    if (held.hidesSomething && held.redact(written) !== withoutSecretShapes(written))
      throw secretReturned(name)
    refuseLong(written, `The result of step "${name}"`, this.#context.maxPayloadBytes)
    return written
  }

  tell({ name, kind, outcome }: Pick<Step, 'name' | 'kind' | 'outcome'>): void {
    const { events } = this.#context
    if (outcome === null || !events.isHeard('execution:step')) return
    const { id, jobName, cause, attempt, scheduledFor } = this.#claim
    events.emit('execution:step', {
      executionId: id,
      job: jobName,
      cause,
      attempt,
      scheduledFor: new Date(scheduledFor),
      step: name,
      kind,
      outcome,
    })
  }

  /** Waits that are over by now are decided first, so that all of it is known before the handler goes on. */
  async #readAll(): Promise<ReadonlyMap<string, Step>> {
    const { store, clock } = this.#context
    const read = async () => await store.steps.listSteps(this.#claim.id)
    let steps = (await this.#held.memos?.catch(() => null)) ?? (await read())
    const at = clock.now()
    const late = steps.filter(
      ({ kind, decidedAt, endsAt }) =>
        kind === 'wait' && decidedAt === null && endsAt !== null && endsAt <= at,
    )
    for (const step of late)
      await this.record({ ...step, decided: { at, outcome: 'timed_out', result: null } })
    // A signal that was written before the timeout stands.
    if (late.length > 0) steps = await read()
    this.#known = new Map(steps.map((step) => [step.name, step]))
    return this.#known
  }
}

/** What was stored for a step; a memo that cannot be read must not pass for a result. */
export function resultOf({ name, result }: Pick<Step, 'name' | 'result'>): unknown {
  if (result === null) return undefined
  try {
    return JSON.parse(result)
  } catch (error) {
    throw failedBy(
      new EvertickError('execution_failed', `What is stored for step "${name}" cannot be read.`, {
        cause: error,
        next: 'Run the execution again from an earlier step.',
      }),
    )
  }
}

/** Left out of the memo, it would be missing in every later attempt. */
function secretReturned(name: string): EvertickError {
  return new EvertickError('invalid_payload', `Step "${name}" returned a secret, which would be stored.`, {
    next: 'Call ctx.secrets.get outside of the step: every attempt reads it anew.',
  })
}

function jsonOf(name: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new EvertickError(
      'invalid_payload',
      `The result of step "${name}" cannot be written as JSON: ${(error as Error).message}`,
      { next: 'Return plain data from a step: later attempts are given what was stored.', cause: error },
    )
  }
}

function usedTwice(name: string): EvertickError {
  return new EvertickError('invalid_option', `The name "${name}" is used twice in one run.`, {
    field: 'name',
    next: `Give each step, sleep and wait a name of its own, in a loop with its index: \`${name}-\${index}\`.`,
  })
}

function otherKind({ name, kind }: Step, now: StepKind): EvertickError {
  return new EvertickError(
    'invalid_option',
    `"${name}" is remembered as a ${kind} of an earlier attempt, and is a ${now} now.`,
    { field: 'name', next: 'Give the new one another name.' },
  )
}
