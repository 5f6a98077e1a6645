/** What is remembered by name: written once, by whoever holds the lease, before the handler goes on, and never done again. */
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import { never } from '../../../src/core/execution/step.ts'
import type { JobContext } from '../../../src/index.ts'
import type { AttemptRow, Change, ExecutionRow, StepRow } from './change-log.ts'
import { at } from './ledger-entries.ts'
import type { Model } from './model.ts'
import type { Rule } from './rules.ts'
import type { Scene } from './scene.ts'
import { Violation } from './violation.ts'

type Running = Pick<JobContext, 'executionId'>

export class StepRules {
  readonly #model: Model
  readonly #scene: Scene
  /** How often the function of a step has had its effect, by execution and name. */
  readonly #runs = new Map<string, number>()
  /** The same of what was committed by a step's own transaction. */
  readonly #effects = new Map<string, number>()
  /** Which wait each signal has answered. */
  readonly #signals = new Map<string, string>()
  // Of this commit:
  #memos: StepRow[] = []
  #written: { readonly id: string; readonly name: string }[] = []
  #rests: StepRow[] = []
  #rested: AttemptRow[] = []
  #retries: ExecutionRow[] = []
  readonly #givenBack = new Set<string>()
  /** Functions of steps that were called; and of those that had run before, but whose memo was not written. */
  ran = 0
  repeated = 0

  constructor(model: Model, scene: Scene) {
    this.#model = model
    this.#scene = scene
  }

  /** The function of a step has its effect; which time this is. */
  runs({ executionId: id }: Running, name: string, nodeId: string): number {
    const key = keyOf(id, name)
    const time = (this.#runs.get(key) ?? 0) + 1
    this.#runs.set(key, time)
    this.ran += 1
    if (isPlain(name) && time > 1) this.repeated += 1
    const memo = this.#model.steps(id).get(name)
    // By a clock that was set, a worker may hold its lease for good when another has it.
    if (memo !== undefined && memo.decided_at !== null && !this.#scene.wrongClocks)
      throw this.#broken(
        'a finished step never runs again',
        id,
        `${nodeId} ran "${name}" again, though its memo is written`,
      )
    return time
  }

  /** What `ctx` has given a handler for a name. */
  saw({ executionId: id }: Running, name: string, seen: unknown, now: number): void {
    if (!this.#model.executions.has(id)) return
    const memo = this.#model.steps(id).get(name)
    if (memo === undefined || (memo.kind !== 'sleep' && memo.decided_at === null))
      throw this.#broken(
        'a memo comes before the next line',
        id,
        `it went on after "${name}", of which is no memo`,
      )
    const [told, stands] = [seen, answerOf(memo)].map((value) => JSON.stringify(value) ?? 'nothing')
    if (told !== stands)
      throw this.#broken(
        'a memo comes before the next line',
        id,
        `"${name}" gave ${told}, but its row says ${stands}`,
      )
    if (memo.kind === 'sleep' && !this.#scene.wrongClocks && now < (memo.ends_at ?? 0))
      throw this.#broken(
        'a sleep ends once',
        id,
        `"${name}" was over at ${at(now)}, before ${at(memo.ends_at)}`,
      )
  }

  /** Jobs of which something waits for a signal. */
  waiting(): ReadonlySet<string> {
    const isOpen = ({ kind, decided_at: decidedAt }: StepRow) => kind === 'wait' && decidedAt === null
    const jobs = [...this.#model.jobs.values()].filter(({ id }) =>
      this.#model.open(id).some((execution) => [...this.#model.steps(execution.id).values()].some(isOpen)),
    )
    return new Set(jobs.map(({ name }) => name))
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    switch (change.table) {
      case 'execution': {
        const { before, after } = change
        if (before === null && after !== null && after.retry_of !== null) this.#retries.push(after)
        if (before !== null && after !== null && after.attempt < this.#model.begunAttempts(before))
          this.#givenBack.add(after.id)
        return
      }
      case 'attempt':
        if (change.after?.outcome === 'rested') this.#rested.push(change.after)
        return
      case 'stepEffect':
        if (change.after !== null) this.#seeEffect(change.after.execution_id, change.after.name)
        return
      case 'step':
        if (change.after !== null) this.#seeStep(change.before, change.after)
        return
      default:
    }
  }

  end(): void {
    for (const { id, name } of this.#written) this.#checkWritten(id, name)
    for (const memo of this.#memos) this.#checkMemo(memo)
    for (const { execution_id: id, name } of this.#rests) {
      if (!this.#givenBack.has(id))
        throw this.#broken(
          'a rest gives its attempt back',
          id,
          `it rests for "${name}", and its attempt counts`,
        )
    }
    for (const attempt of this.#rested) this.#checkRest(attempt)
    for (const retry of this.#retries) this.#checkRetry(retry)
    if (this.#rests.length > 0) this.#rests = []
    if (this.#memos.length > 0) this.#memos = []
    if (this.#written.length > 0) this.#written = []
    if (this.#rested.length > 0) this.#rested = []
    if (this.#retries.length > 0) this.#retries = []
    this.#givenBack.clear()
  }

  #seeEffect(id: string, name: string): void {
    const key = keyOf(id, name)
    this.#effects.set(key, (this.#effects.get(key) ?? 0) + 1)
    this.#written.push({ id, name })
    if ((this.#effects.get(key) ?? 0) > 1)
      throw this.#broken("a step's writes commit with its memo", id, `"${name}" was committed twice`)
  }

  #seeStep(before: StepRow | null, after: StepRow): void {
    const { execution_id: id, name, fence } = after
    if (before === null && fence !== null) this.#refuseStale(after, fence)
    if (before !== null) this.#seeChanged(before, after)
    if (before?.rest_fence !== after.rest_fence && after.rest_fence !== null) this.#rests.push(after)
    if (after.decided_at === null || (before !== null && before.decided_at !== null)) return
    this.#memos.push(after)
    const { outcome, signal_id: signal, decided_at: decidedAt, ends_at: endsAt } = after
    const execution = this.#model.executions.get(id)
    if (execution === undefined || isFinal(execution.state))
      throw this.#broken(ruleOf(after), id, `"${name}" was decided when the execution had ended`)
    if (outcome === 'slept') throw this.#broken(ruleOf(after), id, `somebody wrote that "${name}" is over`)
    if (outcome === 'timed_out' && (endsAt === null || decidedAt < endsAt))
      throw this.#broken(ruleOf(after), id, `"${name}" was over at ${at(decidedAt)}, before ${at(endsAt)}`)
    if (signal === null) return
    const known = this.#signals.get(signal)
    if (known !== undefined)
      throw this.#broken(
        'a signal is consumed once',
        id,
        `the signal ${signal} answers "${name}" and ${known}`,
      )
    this.#signals.set(signal, keyOf(id, name))
  }

  /** Of an open sleep or wait only its memo is still to come. */
  #seeChanged(before: StepRow, after: StepRow): void {
    const { execution_id: id, name } = after
    // Written again after a lost reply, it is the same.
    if (before.decided_at !== null && JSON.stringify(before) !== JSON.stringify(after))
      throw this.#broken(ruleOf(before), id, `"${name}" was ${before.outcome}, and changed again`)
    if (before.begun_at !== after.begun_at || before.ends_at !== after.ends_at)
      throw this.#broken(
        ruleOf(before),
        id,
        `"${name}" was to end at ${at(before.ends_at)}, now at ${at(after.ends_at)}`,
      )
    if (after.decided_at !== null && after.outcome !== 'signalled') this.#refuseStale(after, null)
  }

  /** Who decides what was open before may hold a later claim than who began it. */
  #refuseStale({ execution_id: id, name }: StepRow, fence: number | null): void {
    const execution = this.#model.executions.get(id)
    const { writer } = this.#scene
    const held = execution?.state === 'running' && execution.leased_by === writer?.nodeId
    if (!held || (fence !== null && execution.fence !== fence))
      throw this.#broken(
        'a stale fence is refused',
        id,
        `${writer?.nodeId} wrote the memo of "${name}" without its lease`,
      )
  }

  #checkWritten(id: string, name: string): void {
    if (this.#model.executions.has(id) && this.#model.steps(id).get(name)?.outcome !== 'done')
      throw this.#broken(
        "a step's writes commit with its memo",
        id,
        `"${name}" was committed without its memo`,
      )
  }

  #checkMemo({
    execution_id: id,
    name,
    kind,
    fence,
    signal_id: signal,
    rest_fence: restFence,
  }: StepRow): void {
    const key = keyOf(id, name)
    if (kind === 'step' && fence !== null && !(isPlain(name) ? this.#runs : this.#effects).has(key))
      throw this.#broken(
        "a step's writes commit with its memo",
        id,
        `"${name}" has a memo, and was never done`,
      )
    const execution = this.#model.executions.get(id)
    if (signal === null || execution?.fence !== restFence || execution.state === 'running') return
    if (this.#isLater(execution.ready_at))
      throw this.#broken('a signal wakes who waits for it', id, `"${name}" has its signal, and it sleeps on`)
  }

  /** It comes back at the first of its ends, or at once, where one of them was over when it was written. */
  #checkRest({ execution_id: id, fence }: AttemptRow): void {
    const execution = this.#model.executions.get(id)
    if (execution?.fence !== fence || (execution.state !== 'retrying' && execution.state !== 'blocked'))
      return
    const open = [...this.#model.steps(id).values()].filter(
      (step) => step.rest_fence === fence && step.decided_at === null,
    )
    const first = Math.min(...open.map(({ ends_at: endsAt }) => endsAt ?? never))
    if (execution.ready_at === first || !this.#isLater(execution.ready_at)) return
    const until = execution.ready_at === never ? 'for ever' : `until ${at(execution.ready_at)}`
    if (open.length === 0)
      throw this.#broken(
        'a signal wakes who waits for it',
        id,
        `all it waits for is over, and it rests ${until}`,
      )
    throw this.#broken('a sleep ends once', id, `it rests ${until}, but its end is stored as ${at(first)}`)
  }

  #isLater(readyAt: number): boolean {
    const { writer, wrongClocks } = this.#scene
    return readyAt === never || (!wrongClocks && readyAt > (writer?.clock.now() ?? never))
  }

  #checkRetry({ id, retry_of: of }: ExecutionRow): void {
    const retried = of === null ? undefined : this.#model.executions.get(of)
    if (retried === undefined || retried.state === 'completed') return
    for (const memo of this.#model.steps(retried.id).values()) {
      const kept = this.#model.steps(id).get(memo.name)
      const isOver = memo.kind === 'sleep' && (memo.ends_at ?? never) <= (retried.finished_at ?? 0)
      const isKept = kept?.outcome === memo.outcome && kept.result === memo.result
      if ((isOver || memo.decided_at !== null) && !isKept)
        throw this.#broken('a finished step never runs again', id, `a retry knows nothing of "${memo.name}"`)
    }
  }

  #broken(rule: Rule, id: string, message: string): Violation {
    const jobId = this.#model.executions.get(id)?.job_id
    const job = jobId === undefined ? null : this.#model.nameOf(jobId)
    return new Violation(rule, `${job ?? '?'}, execution ${id.slice(-6)}: ${message}`, job)
  }
}

function keyOf(id: string, name: string): string {
  return `${id} ${name}`
}

/** By what the plan calls it: others write in a transaction of their own. */
function isPlain(name: string): boolean {
  return name.startsWith('step-')
}

function ruleOf({ kind }: StepRow): Rule {
  if (kind === 'step') return 'a finished step never runs again'
  return kind === 'sleep' ? 'a sleep ends once' : 'a signal is consumed once'
}

/** What a handler is to be given. */
function answerOf({ kind, outcome, result, signalled_by: by }: StepRow): unknown {
  const value: unknown = result === null ? undefined : JSON.parse(result)
  if (kind !== 'wait') return value
  return outcome === 'signalled' ? { outcome: 'signal', payload: value, by } : { outcome: 'timeout' }
}
