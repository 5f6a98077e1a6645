/** Steps, sleeps, waits and signals. */
import type { PlantedBug } from './planted-bug.ts'

const steps = 'src/engine/worker/steps/step-runner.ts'
const memos = 'src/store/sql/steps/record-steps.ts'
const signals = 'src/store/sql/steps/signal-execution.ts'
const endings = 'src/store/sql/work/finish-attempts.ts'
const executions = 'src/store/sql/executions/make-execution.ts'

export const stepBugs: readonly PlantedBug[] = [
  {
    name: 'a-memo-of-a-stale-lease',
    says: 'A memo names the execution, but not the fence of its claim.',
    rules: ['a stale fence is refused'],
    patches: [
      { file: memos, find: 'return held.get(id) === fence', replace: 'return fence > 0 || held.has(id)' },
    ],
  },
  {
    name: 'a-memo-behind-the-next-line',
    says: 'A step returns while its memo is still being written.',
    rules: ['a memo comes before the next line'],
    patches: [
      {
        file: steps,
        find: `await this.#memos.record({ name, kind: 'step', begunAt, tries, decided })`,
        replace: `void this.#memos.record({ name, kind: 'step', begunAt, tries, decided }).catch(() => {})`,
      },
    ],
  },
  {
    name: 'a-memo-of-another-attempt-is-not-read',
    says: 'A step that an earlier attempt has finished is done again.',
    rules: ['a finished step never runs again'],
    patches: [
      {
        file: steps,
        find: 'if (memo === null) return await this.#traced',
        replace: 'if (memo?.attempt !== this.#claim.attempt) return await this.#traced',
      },
    ],
  },
  {
    name: 'a-step-commits-apart-from-its-memo',
    says: 'A step with a transaction commits its writes first, and its memo in a transaction of its own.',
    rules: ["a step's writes commit with its memo"],
    patches: [
      {
        file: memos,
        find: 'if ((yield* recordSteps([request.record(result)])).length > 0) throw staleLease(claim.id)',
        replace: 'request.record(result)',
      },
      {
        file: steps,
        find: `    return resultOf({ name, result })
  }

  /** A replay`,
        replace: `    const decided = { at: clock.now(), outcome: 'done' as const, result }
    await this.#memos.record({ name, kind: 'step', begunAt, tries, decided })
    return resultOf({ name, result })
  }

  /** A replay`,
      },
    ],
  },
  {
    name: 'a-retry-knows-no-memos',
    says: 'The retry of an execution begins at its first step again.',
    rules: ['a finished step never runs again'],
    patches: [{ file: executions, find: 'yield* copySteps(execution, newId, fromStep)', replace: '' }],
  },
  {
    name: 'a-sleep-begins-anew',
    says: 'A sleep that an attempt comes back to lasts its whole time again.',
    rules: ['a sleep ends once'],
    patches: [
      {
        file: steps,
        find: 'const endsAt = begun.endsAt ?? begun.begunAt',
        replace: 'const endsAt = endOf(until, clock.now())',
      },
    ],
  },
  {
    name: 'a-rest-counts-its-attempt',
    says: 'An execution that sleeps or waits has used up an attempt.',
    rules: ['a rest gives its attempt back'],
    patches: [
      {
        file: 'src/core/attempt/outcome.ts',
        find: 'countsAttempt: false, rest }',
        replace: 'countsAttempt: true, rest }',
      },
    ],
  },
  {
    name: 'a-rest-forgets-the-signal-that-came-first',
    says: 'A signal that comes just before the rest is written does not bring it back.',
    rules: ['a signal wakes who waits for it'],
    patches: [
      { file: endings, find: 'if (open < names.length) yield*', replace: 'if (open > names.length) yield*' },
    ],
  },
  {
    name: 'a-signal-overwrites-what-was-decided',
    says: 'A second signal, or one that comes after the timeout, changes the answer.',
    rules: ['a signal is consumed once'],
    patches: [{ file: signals, find: `kind = 'wait' AND decided_at IS NULL`, replace: `kind = 'wait'` }],
  },
  {
    name: 'a-timeout-overwrites-a-signal',
    says: 'The timeout of a wait is written over the signal that came first.',
    rules: ['a signal is consumed once'],
    patches: [
      { file: memos, find: 'execution_id IN ?* AND decided_at IS NULL', replace: 'execution_id IN ?*' },
    ],
  },
  {
    name: 'a-rest-is-unstarted-again',
    says: 'What has given its attempt back counts as never begun: a catch-up that sleeps is superseded.',
    rules: ['what has begun is not unstarted again'],
    patches: [
      {
        file: 'src/store/sql/work/states.ts',
        find: ' AND NOT EXISTS (SELECT 1 FROM @attempts tried WHERE tried.execution_id = id)',
        replace: '',
      },
    ],
  },
  {
    name: 'a-cancel-forgets-the-lane',
    says: "An operator's cancel ends a sleeper, and leaves blocked what waits behind it.",
    rules: ['nothing final without its settlement', 'a fixedDelay goes on'],
    patches: [
      {
        file: executions,
        find: 'yield* settleEnded(stopped, now)',
        replace: `yield* settleEnded(stopped.map((one) => ({ ...one, cause: 'enqueue' as const })), now)`,
      },
    ],
  },
]
