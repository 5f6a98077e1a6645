/**
 * What the ends of steps do to their flows, in the transaction of those ends: the steps after them are released or
 * cancelled, and the last one ends the flow.
 */
import type { FinalState } from '../../../core/execution/execution-state.ts'
import { endOfFlow, meets } from '../../../core/flow/flow.ts'
import { descendantsOf } from '../../../core/flow/flow-graph.ts'
import { finalStateOf, number, text } from '../runtime/rows.ts'
import { rows, run, type Script } from '../runtime/script.ts'
import { countMet } from '../work/count-met.ts'
import { cancelWaiting, type Ended } from '../work/ended.ts'
import { onFailureOf } from './flow-rows.ts'

interface EndedStep {
  readonly flowId: string
  readonly name: string
  readonly state: FinalState
  readonly meets: boolean
}

const stepsText = 'SELECT flow_id, name, on_failure, execution_id FROM @flow_steps WHERE execution_id IN ?*'

/** An execution that a retry has followed is no step any more, and settles nothing. Returns what it has cancelled. */
export function* settleFlows(ended: readonly Ended[], now: number): Script<Ended[]> {
  const states = new Map(ended.map(({ id, state }) => [id, finalStateOf(state)]))
  const steps = (yield* rows(stepsText, [...states.keys()])).map((step): EndedStep => {
    const state = states.get(text(step.execution_id)) ?? 'cancelled'
    return {
      flowId: text(step.flow_id),
      name: text(step.name),
      state,
      meets: meets({ onFailure: onFailureOf(step.on_failure) }, state),
    }
  })
  const cancelled: Ended[] = []
  const flows = [...Map.groupBy(steps, ({ flowId }) => flowId)].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [flowId, ofFlow] of flows) {
    yield* countEnds(flowId, ofFlow)
    const missed = ofFlow.filter((step) => !step.meets).map(({ name }) => name)
    cancelled.push(...(yield* cancelAfter(flowId, missed, now)))
    const met = ofFlow.filter((step) => step.meets).map(({ name }) => name)
    yield* releaseAfter(flowId, met, now)
    yield* endFlow(flowId, now)
  }
  return cancelled
}

/** The row is held from here on. */
function* countEnds(flowId: string, steps: readonly EndedStep[]): Script<void> {
  const count = (state: FinalState) => steps.filter((step) => step.state === state).length
  yield* run(
    'UPDATE @flows SET completed = completed + ?, failed = failed + ?, cancelled = cancelled + ? WHERE id = ?',
    count('completed'),
    count('failed'),
    count('cancelled'),
    flowId,
  )
}

const edgesText = 'SELECT parent, child FROM @flow_edges WHERE flow_id = ?'
const executionsText = 'SELECT execution_id FROM @flow_steps WHERE flow_id = ? AND name IN ?*'

/** All that come after them never can run: they wait for each other, so none of them has begun. */
function* cancelAfter(flowId: string, names: readonly string[], now: number): Script<Ended[]> {
  if (names.length === 0) return []
  const edges = yield* rows(edgesText, flowId)
  const children = Map.groupBy(edges, ({ parent }) => text(parent))
  const after = descendantsOf(
    new Map([...children].map(([parent, found]) => [parent, found.map(({ child }) => text(child))])),
    names,
  )
  if (after.size === 0) return []
  const ids = (yield* rows(executionsText, flowId, [...after])).map(({ execution_id }) => text(execution_id))
  return yield* cancelWaiting('dependency', now, 'id IN ?*', ids)
}

const childrenText = `
  SELECT s.execution_id, count(*) AS n FROM @flow_edges g
  JOIN @flow_steps s ON s.flow_id = g.flow_id AND s.name = g.child
  WHERE g.flow_id = ? AND g.parent IN ?* GROUP BY s.execution_id`

function* releaseAfter(flowId: string, names: readonly string[], now: number): Script<void> {
  if (names.length === 0) return
  const children = yield* rows(childrenText, flowId, names)
  for (const [met, some] of Map.groupBy(children, ({ n }) => number(n))) {
    const ids = some.map(({ execution_id }) => text(execution_id))
    yield* countMet(ids, met, now)
  }
}

const standingText = `
  SELECT s.on_failure, e.state FROM @flow_steps s JOIN @finished_executions e ON e.id = s.execution_id
  WHERE s.flow_id = ? AND e.state IN ('failed', 'cancelled')`

/** Also by the ends that this one has made: whoever brings the last one ends the flow. */
function* endFlow(flowId: string, now: number): Script<void> {
  const [flow] = yield* rows(
    'SELECT id FROM @flows WHERE id = ? AND completed + failed + cancelled = steps',
    flowId,
  )
  if (flow === undefined) return
  const missed = (yield* rows(standingText, flowId)).map((step) => ({
    onFailure: onFailureOf(step.on_failure),
    state: finalStateOf(step.state),
  }))
  yield* run('UPDATE @flows SET state = ?, finished_at = ? WHERE id = ?', endOfFlow(missed), now, flowId)
}
