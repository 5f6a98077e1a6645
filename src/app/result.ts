/** Waiting for an execution to end, on whatever node. */
import { EvertickError } from '../core/error.ts'
import { isFinal } from '../core/execution/execution-state.ts'
import type { AppContext } from './app-context.ts'

const pollMs = 250

export async function resultOf(
  { clock, store, events }: AppContext,
  id: string,
  timeoutMs: number,
): Promise<unknown> {
  const until = clock.now() + timeoutMs
  for (;;) {
    const execution = await store.findExecution(id)
    if (execution === null) throw new EvertickError('execution_not_found', `There is no execution ${id}.`)
    if (execution.state === 'completed') return execution.result
    if (isFinal(execution.state)) {
      const why = execution.error?.message ?? execution.cancelReason ?? 'no reason was given'
      throw new EvertickError(
        'execution_failed',
        `Execution ${id} of "${execution.jobName}" ${execution.state}: ${why}`,
      )
    }
    if (clock.now() >= until) {
      throw new EvertickError('timeout', `Execution ${id} is still ${execution.state}.`, {
        next: 'Wait longer.',
      })
    }
    await endedOrLater({ clock, events }, id)
  }
}

/** Resolves when this node ends the execution, or a moment later: another node may have. */
async function endedOrLater(
  { clock, events }: Pick<AppContext, 'clock' | 'events'>,
  id: string,
): Promise<void> {
  const offs: (() => void)[] = []
  await new Promise<void>((resolve) => {
    offs.push(clock.timer(pollMs, resolve))
    for (const name of ['execution:completed', 'execution:failed', 'execution:cancelled'] as const) {
      offs.push(events.on(name, (event) => void (event.executionId === id && resolve())))
    }
  })
  for (const off of offs) off()
}
