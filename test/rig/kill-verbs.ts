/** The verbs that enqueue, claim, end, rescue and fold, each as one call on the scene of kill-scene.ts. */
import type { Ending } from '../../src/core/attempt/outcome.ts'
import type { FinishedAttempt, Store } from '../../src/store/store.ts'
import { by, idOf, newExecution, stepRecord } from '../store/builders.ts'
import { at, leaseMs } from '../store/by-hand.ts'

type Held = Pick<FinishedAttempt, 'id' | 'fence' | 'attempt'> & Required<Pick<FinishedAttempt, 'claimed'>>

/** What the scene's worker holds, by the name of what was enqueued, or of the job whose tick it is. */
export interface Given {
  readonly held: Readonly<Record<string, Held>>
  /** Of the effects that handlers write. */
  readonly effects: string
}

const now = at(223)
/** The scene's leases have run out by then. */
export const lateAt = at(221) + leaseMs + 10_000
/** What has ended in the scene is older than its retention by then. */
export const purgeAt = at(86_400)
const error = { name: 'Error', message: 'no' }
const usage = { peakMemoryBytes: 2 ** 20, cpuMs: 10 }

const completed: Ending = { state: 'completed', result: { rows: 1 } }
const failed: Ending = { state: 'failed', error }
const retrying: Ending = { state: 'retrying', error, readyAt: now + 1_000, countsAttempt: true }

function finish(endings: Readonly<Record<string, Ending>>, used: Pick<FinishedAttempt, 'usage'> = {}): Verb {
  return async (store, given) => {
    const attempts = Object.entries(endings).map(([name, ending]) => {
      return { ...heldOf(given, name), ending, finishedAt: now, ...used }
    })
    return await store.work.finishAttempts({ nodeId: 'n1', attempts, now })
  }
}

function heldOf({ held }: Given, name: string): Held {
  const found = held[name]
  if (found === undefined) throw new Error(`The scene's worker does not hold ${name}.`)
  return found
}

/** A handler's effect, in the transaction that completes its execution. */
export async function completeWithEffect(
  store: Store,
  claim: Pick<Held, 'id' | 'fence' | 'attempt'>,
  effects: string,
  { nodeId, now }: { readonly nodeId: string; readonly now: number },
): Promise<void> {
  const { id, fence, attempt } = claim
  await store.work.completeWithin({
    claim: { id, fence, attempt },
    nodeId,
    maxMs: 60_000,
    clock: { now: () => now, sleep: () => new Promise(() => {}) },
    run: async (tx) => await tx.query(`INSERT INTO ${effects} (execution_id) VALUES ('${id}')`),
    ending: () => completed,
  })
}

export type Verb = (store: Store, given: Given) => Promise<unknown>

export const verbs = {
  claimExecutions: (store) =>
    store.work.claimExecutions({
      nodeId: 'n1',
      queue: 'default',
      limit: 10,
      start: 2,
      now,
      readyBy: now,
      leaseMs,
    }),
  enqueueIntoSlot: (store) =>
    store.work.enqueueIntoSlot(newExecution('slot', 'plain', { createdAt: now }), {
      nodeId: 'n1',
      queue: 'default',
      now,
      leaseMs,
    }),
  'finishAttempts (completions)': finish({ done: completed, more: completed }),
  'finishAttempts (ticks)': finish({ lane: completed, delay: completed }),
  'finishAttempts (failures and retries)': finish({ fails: failed, again: retrying, lane: failed }),
  'finishAttempts (a mix)': finish({ done: completed, fails: failed, again: retrying, delay: completed }),
  'finishAttempts (watched)': finish({ done: completed, lane: completed, again: retrying }, { usage }),
  completeWithin: (store, given) =>
    completeWithEffect(store, heldOf(given, 'lane'), given.effects, { nodeId: 'n1', now }),
  stepWithin: async (store, given) => {
    const claim = heldOf(given, 'lane')
    await store.steps.stepWithin({
      claim,
      maxMs: 60_000,
      clock: { now: () => now, sleep: () => new Promise(() => {}) },
      // Not the effect that ends it, which is still to come.
      run: async (tx) =>
        await tx.query(`INSERT INTO ${given.effects} (execution_id) VALUES ('step of ${claim.id}')`),
      record: () => stepRecord(claim, 's'),
    })
  },
  expireLeases: (store) => store.work.expireLeases({ now: lateAt, limit: 100, random: () => 0 }),
  'cancelExecution (waiting)': (store) => store.executions.cancelExecution(idOf('ready'), by(now)),
  'cancelExecution (reserved)': (store) => store.executions.cancelExecution(idOf('kept-waiting'), by(now)),
  'changeJob (cancel)': (store) => store.jobs.changeJob('lane', { kind: 'cancel' }, by(at(235))),
  // From the two jobs on whose history is old.
  purgeHistory: (store) => store.ticks.purgeHistory({ afterJobId: idOf('job-x'), jobs: 3, now: purgeAt }),
} as const satisfies Readonly<Record<string, Verb>>

export type VerbName = keyof typeof verbs
export const verbNames = Object.keys(verbs) as VerbName[]
