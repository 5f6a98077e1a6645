/** What belongs together: no step begins before what it comes after, none is left behind, no batch is done early or twice. */
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import type { BatchRow, Change, ExecutionRow, FlowRow, FlowStepRow } from './change-log.ts'
import type { Model } from './model.ts'
import type { Rule } from './rules.ts'
import { Violation } from './violation.ts'

export class GroupRules {
  readonly #model: Model
  // Of this commit:
  #released: ExecutionRow[] = []
  readonly #flows = new Set<string>()
  readonly #batches = new Set<string>()

  constructor(model: Model) {
    this.#model = model
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    switch (change.table) {
      case 'flow':
        if (change.after !== null) this.#flows.add(change.after.id)
        return
      case 'flowStep':
        if (change.after !== null) this.#flows.add(change.after.flow_id)
        return
      case 'batch':
        this.#sawBatch(change.before, change.after)
        return
      case 'execution': {
        const { before, after } = change
        if (after === null) return
        if (after.flow_id !== null) this.#flows.add(after.flow_id)
        if (after.batch_id !== null) this.#batches.add(after.batch_id)
        const waited = before === null || before.waits_for === 'dependency'
        if (waited && after.waits_for === null && !isFinal(after.state)) this.#released.push(after)
        return
      }
      default:
    }
  }

  end(): void {
    for (const execution of this.#released) this.#checkReleased(execution)
    for (const id of this.#flows) this.#checkFlow(id)
    for (const id of this.#batches) this.#checkBatch(id)
    if (this.#released.length > 0) this.#released = []
    this.#flows.clear()
    this.#batches.clear()
  }

  #sawBatch(before: BatchRow | null, after: BatchRow | null): void {
    if (after === null) return
    this.#batches.add(after.id)
    if (before !== null && before.done_at !== null && before.done_at !== after.done_at)
      throw broken('a batch is done once', `batch ${after.id.slice(-6)} was done, and is done again`)
  }

  #checkReleased(execution: ExecutionRow): void {
    const followed = this.#model.batchBefore(execution.id)
    if (followed !== undefined && followed.done_at === null)
      throw broken(
        'a batch is done once',
        `what follows batch ${followed.id.slice(-6)} is released before it is done`,
      )
    if (execution.flow_id === null) return
    const steps = this.#model.flowSteps(execution.flow_id)
    const step = [...steps.values()].find((one) => one.execution_id === execution.id)
    for (const name of parentsOf(step)) {
      const parent = steps.get(name)
      if (parent === undefined || this.#isMet(parent)) continue
      const what = `${step?.name} of flow ${execution.flow_id.slice(-6)} is released, but ${name} before it is not done`
      throw broken('a step waits for what it comes after', what)
    }
  }

  #isMet({ execution_id: id, on_failure: onFailure }: FlowStepRow): boolean {
    const state = this.#model.executions.get(id)?.state
    return state === 'completed' || (onFailure === 'continue' && state !== undefined && isFinal(state))
  }

  /** Asked of the whole flow after each commit that touches it. */
  #checkFlow(id: string): void {
    const flow = this.#model.flows.get(id)
    if (flow === undefined) return
    const steps = this.#model.flowSteps(id)
    const states = new Map<string, ExecutionRow>()
    for (const { name, execution_id } of steps.values()) {
      const execution = this.#model.executions.get(execution_id)
      if (execution !== undefined) states.set(name, execution)
    }
    for (const step of steps.values()) {
      const execution = states.get(step.name)
      if (execution === undefined || isFinal(execution.state) || execution.waits_for !== 'dependency')
        continue
      const parents = parentsOf(step).map((name) => states.get(name))
      if (!parents.some((parent) => parent !== undefined && !isFinal(parent.state)))
        throw broken(
          'no step is left behind',
          `${step.name} of flow ${id.slice(-6)} waits, and nothing before it goes on`,
        )
    }
    this.#checkCounts(flow, [...states.values()])
  }

  #checkCounts(flow: FlowRow, executions: readonly ExecutionRow[]): void {
    // Those that retention has taken are no longer there to be counted.
    if (executions.length < flow.steps) return
    const count = (state: string) => executions.filter((execution) => execution.state === state).length
    const ended = (['completed', 'failed', 'cancelled'] as const).map((state) => [flow[state], count(state)])
    if (ended.some(([said, found]) => said !== found))
      throw broken(
        'a flow ends with its last step',
        `flow ${flow.id.slice(-6)} counts ${JSON.stringify(ended)}`,
      )
    const open = executions.some(({ state }) => !isFinal(state))
    if ((flow.state === 'running') !== open)
      throw broken(
        'a flow ends with its last step',
        `flow ${flow.id.slice(-6)} is ${flow.state}, and ${open ? 'goes on' : 'has ended'}`,
      )
  }

  #checkBatch(id: string): void {
    const batch = this.#model.batches.get(id)
    if (batch === undefined) return
    const open = batch.total - batch.completed - batch.failed - batch.cancelled
    const members = this.#model.openMembers(id)
    if (open !== members)
      throw broken(
        'a batch is done once',
        `batch ${id.slice(-6)} counts ${open} unfinished, and has ${members}`,
      )
    if ((batch.done_at === null) !== members > 0)
      throw broken(
        'a batch is done once',
        `batch ${id.slice(-6)} has ${members} unfinished, and is ${batch.done_at === null ? 'not done' : 'done'}`,
      )
    const follows = batch.on_done_id === null ? undefined : this.#model.executions.get(batch.on_done_id)
    if (follows === undefined || isFinal(follows.state)) return
    if ((follows.waits_for === 'dependency') === (batch.done_at !== null))
      throw broken(
        'a batch is done once',
        `what follows batch ${id.slice(-6)} ${batch.done_at === null ? 'runs before it is' : 'still waits, and it is'} done`,
      )
  }
}

function parentsOf(step: FlowStepRow | undefined): readonly string[] {
  return step === undefined ? [] : (JSON.parse(step.parents) as string[])
}

function broken(rule: Rule, message: string): Violation {
  return new Violation(rule, message)
}
