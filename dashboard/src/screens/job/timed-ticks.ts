/** Ticks with what their runs say of them, where the run is known: how long, how late, and what went wrong. */
import type { Execution } from '../../../../src/client/index.ts'
import type { DrawnTick } from '../../ticks/tick-mark.ts'

export type TimedTick<Tick> = Tick & { readonly problem?: string }

/** Runs that no tick has made, oldest first, as the bar draws them. */
export function runsAsTicks(executions: readonly Execution[]): DrawnTick[] {
  return executions
    .map(({ id, scheduledFor, state, durationMs }) => ({
      scheduledFor,
      account: 'fired',
      state,
      executionId: id,
      durationMs,
    }))
    .toReversed()
}

export function timedTicks<Tick extends DrawnTick>(
  ticks: readonly Tick[],
  executions: readonly Execution[],
): TimedTick<Tick>[] {
  const byId = new Map(executions.map((execution) => [execution.id, execution]))
  return ticks.map((tick) => {
    const run = tick.executionId === undefined ? undefined : byId.get(tick.executionId)
    // A run that several ticks were folded into took its time once.
    if (run === undefined || tick.account === 'coalesced') return tick
    const { durationMs, startedAt, scheduledFor, state, error } = run
    const latenessMs = startedAt === null ? null : Date.parse(startedAt) - Date.parse(scheduledFor)
    return { ...tick, durationMs, latenessMs, state, ...(error === null ? {} : { problem: error.message }) }
  })
}
