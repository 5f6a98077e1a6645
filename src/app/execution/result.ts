/** Waiting for an execution to end, on whatever node. */
import { EvertickError } from '../../core/error.ts'
import { isFinal } from '../../core/execution/execution-state.ts'
import type { AppContext } from '../app-context.ts'

const pollMs = 250

/** `isStarted`: whether this node runs anything itself. */
export async function resultOf(
  app: AppContext,
  id: string,
  timeoutMs: number,
  isStarted: () => boolean,
): Promise<unknown> {
  const { clock, store, events, logger } = app
  const until = clock.now() + timeoutMs
  let warned = false
  for (;;) {
    const execution = await store.executions.findExecution(id)
    if (execution === null) throw new EvertickError('execution_not_found', `There is no execution ${id}.`)
    if (execution.state === 'completed') return execution.result
    if (isFinal(execution.state)) {
      const why = execution.error?.message ?? execution.cancelReason ?? 'no reason was given'
      throw new EvertickError(
        'execution_failed',
        `Execution ${id} of "${execution.jobName}" ${execution.state}: ${why}`,
      )
    }
    const nobody = isStarted() || (await hasWorker(app)) ? null : nobodyRuns(execution.jobName)
    if (nobody !== null && !warned) logger.warn(nobody, { executionId: id, next: forgottenStart })
    warned = warned || nobody !== null
    if (clock.now() >= until) {
      throw new EvertickError(
        'timeout',
        `Execution ${id} is still ${execution.state}.${nobody === null ? '' : ` ${nobody}`}`,
        { next: nobody === null ? 'Wait longer.' : forgottenStart },
      )
    }
    await endedOrLater({ clock, events }, execution.id)
  }
}

const forgottenStart = 'Call start() first, or start a node with the role worker.'

function nobodyRuns(job: string): string {
  return `No node runs "${job}": this Evertick is not started, and no other node works on this database.`
}

/** Whether a node that works has been heard of lately. */
async function hasWorker({ store, clock }: AppContext): Promise<boolean> {
  const since = clock.now() - clock.longestSleepMs
  return (await store.cluster.listNodes()).some(
    ({ roles, seenAt }) => roles.includes('worker') && seenAt >= since,
  )
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
