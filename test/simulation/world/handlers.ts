/** What the jobs of a history do. Which of it, is thrown by the run itself: the same in every replay. */
import { stableHash } from '../../../src/core/stable-hash.ts'
import { defineJob, type JobContext, outcome } from '../../../src/index.ts'
import type { JobPlan } from '../plan/plan.ts'
import type { Life } from './life.ts'
import { Random } from './random.ts'

export interface Audience {
  readonly started: (life: Life, context: JobContext) => void
  readonly endedWell: (context: JobContext) => void
  /** The history is at its end: nobody takes long any more. */
  readonly hurried: () => boolean
}

const hurriedMs = 100

export function handlerFor(
  plan: JobPlan,
  options: JobPlan['options'],
  seed: number,
  life: Life,
  audience: Audience,
) {
  const runs = new Map<string, number>()
  return defineJob({
    name: plan.name,
    ...options,
    async run(context) {
      audience.started(life, context)
      // A snooze gives its attempt back: the next try must not be thrown the same.
      const dice = diceOf(`${seed}:${runs.get(context.executionId) ?? 0}`, context)
      runs.set(context.executionId, (runs.get(context.executionId) ?? 0) + 1)
      const drawnMs = dice.pick(plan.work.durationsMs)
      const durationMs = audience.hurried() ? Math.min(drawnMs, hurriedMs) : drawnMs
      await life.nap(durationMs, plan.work.heeds ? context.signal : undefined)
      if (plan.work.heeds) context.signal.throwIfAborted()
      if (durationMs > 0) {
        context.log.info('worked', { durationMs })
        await context.progress(0.9)
      }
      return await endOf(plan, context, dice, {
        endedWell: () => audience.endedWell(context),
        hold: (ms) => (audience.hurried() ? Promise.resolve() : life.nap(ms)),
      })
    },
  })
}

function diceOf(seed: string, { job, cause, attempt, scheduledFor }: JobContext): Random {
  return new Random(String(stableHash(`${seed}:${job}:${cause}:${attempt}:${scheduledFor.getTime()}`)))
}

async function endOf(
  { work }: JobPlan,
  context: JobContext,
  dice: Random,
  { endedWell, hold }: { endedWell: () => void; hold: (ms: number) => Promise<void> },
): Promise<unknown> {
  if (dice.chance(work.throws)) throw new Error('simulated failure')
  if (dice.chance(work.snoozes)) return outcome.snooze(dice.integer(100, 3_000))
  if (dice.chance(work.retries)) return outcome.retry(dice.integer(100, 3_000))
  const enqueues = context.cause === 'enqueue' ? null : work.enqueues
  if (!work.transactional) {
    if (enqueues !== null) await context.enqueue(enqueues, null)
    endedWell()
    return dice.next()
  }
  const insideThrows = dice.chance(work.throws)
  const done = await context.transaction(async (tx) => {
    if (work.transactionMs > 0) await hold(dice.integer(0, work.transactionMs))
    await tx.sql`INSERT INTO effects VALUES (${context.executionId}, ${context.attempt})`
    if (enqueues !== null) await context.enqueue(enqueues, null, { tx })
    if (insideThrows) throw new Error('simulated failure inside the transaction')
    return dice.next()
  })
  endedWell()
  if (dice.chance(work.throws)) throw new Error('simulated failure after the transaction')
  return done
}
