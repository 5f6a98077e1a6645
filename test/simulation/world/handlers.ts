/** What the jobs of a history do. Which of it, is thrown by the run itself: the same in every replay. */
import { stableHash } from '../../../src/core/stable-hash.ts'
import { defineJob, type JobContext, outcome } from '../../../src/index.ts'
import { type JobPlan, type Part, partName } from '../plan/plan.ts'
import type { Life } from './life.ts'
import { Random } from './random.ts'

export interface Audience {
  readonly started: (life: Life, context: JobContext) => void
  readonly endedWell: (context: JobContext) => void
  /** The function of a step runs; which time of this execution it is. */
  readonly stepRuns: (life: Life, context: JobContext, name: string) => number
  /** What `ctx` has given back for a name. */
  readonly saw: (life: Life, context: JobContext, name: string, seen: unknown) => void
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
      for (const together of groupsOf(plan.work.parts)) {
        await Promise.all(
          together.map(async ({ part, name }) => {
            audience.saw(life, context, name, await go(part, name, context, dice, life, audience))
          }),
        )
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

interface Named {
  readonly part: Part
  readonly name: string
}

function groupsOf(parts: readonly Part[]): Named[][] {
  const groups: Named[][] = []
  for (const [index, part] of parts.entries()) {
    const named = { part, name: partName(part, index) }
    const last = groups.at(-1)
    if (part.beside && last !== undefined) last.push(named)
    else groups.push([named])
  }
  return groups
}

async function go(
  part: Part,
  name: string,
  context: JobContext,
  dice: Random,
  life: Life,
  audience: Audience,
): Promise<unknown> {
  if (part.kind === 'sleep') return await context.sleep(name, part.ms)
  if (part.kind === 'wait')
    return await context.waitFor(name, part.timeoutMs === null ? {} : { timeout: part.timeoutMs })
  const retry = { attempts: part.tries, base: 100 }
  // In order: beside another part, whoever comes first would throw the other's dice.
  const throws = Array.from({ length: part.tries }, () => dice.chance(part.throws))
  let tries = 0
  /** Its effect, then whatever it takes to return: a crash between the two, and it happens again. */
  const work = () => {
    tries += 1
    if (throws[tries - 1] === true) throw new Error(`simulated failure of ${name}`)
    return `${name}, time ${audience.stepRuns(life, context, name)}`
  }
  if (part.transaction) {
    return await context.step(
      name,
      async (tx) => {
        await tx.sql`INSERT INTO step_effects VALUES (${context.executionId}, ${name})`
        return work()
      },
      { retry, transaction: true },
    )
  }
  return await context.step(
    name,
    async () => {
      const result = work()
      if (part.ms > 0) await life.nap(audience.hurried() ? hurriedMs : part.ms)
      return result
    },
    { retry },
  )
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
