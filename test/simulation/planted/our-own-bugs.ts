/**
 * Bugs that the simulation found in our own code, brought back, and one that a rule must still see which once saw too much:
 * each has a regression that breaks with it. Most are too rare for a few hundred seeds, so that no seed is recorded for
 * them.
 */
import type { PlantedBug } from './planted-bug.ts'

const performer = 'src/engine/worker/performer.ts'

export const ourOwnBugs: readonly PlantedBug[] = [
  {
    name: 'attempts-by-the-present-limit',
    says: "The end of an attempt looks at the job's present limit, not at the one that its execution was made with.",
    rules: ['attempts stay within their limit'],
    patches: [
      {
        file: performer,
        find: 'const tried = { attempt, maxAttempts, cause,',
        replace: 'const tried = { attempt, maxAttempts: retry.attempts, cause,',
      },
    ],
  },
  {
    name: 'past-one-off-stops-the-node',
    says: 'A start writes no one-off whose instant has passed and which nothing would run: it fails instead.',
    rules: ['somebody leads'],
    patches: [
      {
        file: 'src/app/job/apply-jobs.ts',
        find: `import { jobSpec } from './job-options.ts'`,
        replace: `import { jobSpec, refusePastInstant } from './job-options.ts'`,
      },
      {
        file: 'src/app/job/apply-jobs.ts',
        find: '  if (existing === null) {\n',
        replace:
          '  if (existing === null) {\n    const now = app.clock.now()\n    refusePastInstant(wanted.spec({ createdAt: now, spec: null }), job.name, now)\n',
      },
    ],
  },
  {
    name: 'early-claim-waits-by-the-wall-clock',
    says: 'A run that was claimed early waits until the clock shows its time, however far that was set back.',
    rules: ['a stop leaves nothing behind'],
    patches: [
      {
        file: performer,
        find: 'const left = due - clock.monotonic()',
        replace: 'const left = reserved.claim.readyAt - clock.now()',
      },
    ],
  },
  {
    name: 'only-pending-is-taken-back',
    says: 'An action takes back only the ticks to come that are pending, not those that wait in the buffer.',
    rules: ['a paused job makes nothing'],
    patches: [
      {
        file: 'src/store/sql/work/states.ts',
        find: "((state = 'pending' OR state = 'blocked') AND ${isUntried})",
        replace: `(state = 'pending')`,
      },
    ],
  },
  {
    name: 'timers-outlive-their-lease',
    says: 'A run that a stop has given up keeps the timer of its timeout.',
    rules: ['a stop leaves nothing behind'],
    patches: [{ file: 'src/engine/worker/lease-keeper.ts', find: 'held.end()', replace: '' }],
  },
  {
    name: 'lease-dated-ahead-is-believed',
    says: 'A lease that ends in a day ends in a day, though nobody renews it.',
    rules: ['nothing waits for ever'],
    patches: [
      {
        file: 'src/engine/standstill.ts',
        find: 'Math.max(patienceMs, 3 * leaseMs)',
        replace: 'Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'late-renewal-wakes-nobody',
    says: 'A renewal that came late leaves asleep who looked while the lease had lapsed.',
    rules: ['service returns by itself'],
    patches: [
      {
        file: 'src/engine/elector.ts',
        find: 'if (this.term() === null) this.#tellLost(this.#held)\n    this.#held = term',
        replace: `const lapsed = this.#held !== null && this.term() === null
    if (lapsed) this.#tellLost(this.#held)
    this.#held = term`,
      },
      {
        file: 'src/engine/elector.ts',
        find: 'if (this.term() === null) return this.#alarm.ring()',
        replace: 'if (this.term() === null) return',
      },
      {
        file: 'src/engine/elector.ts',
        find: 'and sleeps.\n    this.#onElected()',
        replace: 'and sleeps.\n    if (!lapsed) this.#onElected()',
      },
    ],
  },
  {
    name: 'reserve-is-not-superseded',
    says: 'Catch-ups of earlier outages stay where a worker has them in reserve, though they have not started.',
    rules: ['maxMissedRuns holds'],
    patches: [
      {
        file: 'src/store/sql/ticks/apply-plan.ts',
        find: `AND (state = 'pending' OR state = 'running' AND cancel_requested_at IS NULL)`,
        replace: `AND state = 'pending'`,
      },
    ],
  },
  {
    name: 'reserve-forgets-its-deadline',
    says: 'What a worker has in reserve begins however late its slot becomes free.',
    rules: ['nothing starts after its deadline'],
    patches: [
      {
        file: 'src/store/sqlite/lease.ts',
        find: 'AND (start_by IS NULL OR start_by >= ?)',
        replace: 'AND ? > 0',
      },
    ],
  },
  {
    name: 'reset-goes-below-the-ledger',
    says: 'A cursor is reset to now, also where now is before the ledger begins.',
    rules: ['totals + ledger = all ticks'],
    patches: [
      {
        file: 'src/store/sql/ticks/reset-cursor.ts',
        find: 'const lowest = Math.max(now + 1, job.ledgerFrom)',
        replace: 'const lowest = now + 1',
      },
    ],
  },
  {
    name: 'reset-cuts-one-tick-too-many',
    says: 'A reset of the cursor cuts the row across its line one tick too early.',
    rules: ['an account never vanishes'],
    patches: [
      {
        file: 'src/store/sql/ticks/reset-cursor.ts',
        find: 'const last = sequence?.previous(line + 1) ?? null',
        replace: 'const last = sequence?.previous(sequence.previous(line + 1) ?? from) ?? null',
      },
      {
        file: 'src/store/sql/ticks/reset-cursor.ts',
        find: 'sequence.count(from, line + 1),',
        replace: 'sequence.count(from, last + 1),',
      },
    ],
  },
  {
    name: 'next-tick-opened-unheard',
    says: 'An end opens the next tick of a fixedDelay job, and nobody tells the scheduler.',
    rules: ['service returns by itself'],
    patches: [{ file: 'src/engine/worker/worker.ts', find: 'if (opened) parts.onNextTick()', replace: '' }],
  },
  {
    name: 'a-rest-outlives-its-attempt',
    says: 'A wait or a sleep that holds its slot beside another goes on when the attempt has ended.',
    rules: ['a stop leaves nothing behind'],
    patches: [
      {
        file: 'src/engine/worker/steps/rests.ts',
        find: 'held.attach(() => this.#over.abort())',
        replace: '',
      },
    ],
  },
  {
    name: 'one-execution-twice-in-a-batch',
    says: 'Ends of two attempts of one execution go into one batch, whose answer names executions only.',
    rules: ['a stale fence is refused'],
    patches: [
      {
        file: 'src/engine/worker/batcher.ts',
        find: 'batch.length >= largestBatch || ids.has(id)',
        replace: 'batch.length >= largestBatch',
      },
    ],
  },
  {
    name: 'an-action-ends-what-was-asked-to-stop',
    says: 'An action that takes back ticks to come ends a reserved one that was asked to stop, by half.',
    rules: ['an end moves its row'],
    patches: [
      {
        file: 'src/store/sql/ticks/revoke-ahead.ts',
        find: '\n     AND cancel_requested_at IS NULL`,',
        replace: '`,',
      },
    ],
  },
]
