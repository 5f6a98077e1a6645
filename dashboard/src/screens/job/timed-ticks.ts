/** Ticks with the duration, lateness and error of their runs, if the run is known. */
import type { Execution } from '../../../../src/client/index.ts'
import type { DrawnTick } from '../../ticks/tick-mark.ts'

export type TimedTick<Tick> = Tick & { readonly problem?: string }

/** Runs of a job without a schedule, oldest first, for the bar. */
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
    // The run that ticks were coalesced into counts once.
    if (run === undefined || tick.account === 'coalesced') return tick
    const { durationMs, startedAt, scheduledFor, state, error } = run
    const latenessMs = startedAt === null ? null : Date.parse(startedAt) - Date.parse(scheduledFor)
    return { ...tick, durationMs, latenessMs, state, ...(error === null ? {} : { problem: error.message }) }
  })
}
