/** Claims, leases, attempts and their ends. */
import type { PlantedBug } from './planted-bug.ts'

const endings = 'src/store/sql/work/finish-attempts.ts'
const claim = 'src/store/sqlite/claim.ts'
const enqueue = 'src/store/sqlite/enqueue.ts'
const finish = 'src/store/sqlite/finish.ts'
const lease = 'src/store/sqlite/lease.ts'
const rescue = 'src/store/sql/work/expire-leases.ts'
const reserves = 'src/store/sql/work/reserves.ts'
const slots = 'src/store/sql/work/enqueue-into-slot.ts'
const leaseKeeper = 'src/engine/worker/lease-keeper.ts'
const performer = 'src/engine/worker/performer.ts'
const finished = 'src/store/sql/work/make-final.ts'

export const executionBugs: readonly PlantedBug[] = [
  {
    name: 'no-fence-on-completion',
    says: "An attempt's end names the execution, but not the fence of its claim.",
    rules: ['a stale fence is refused', 'a lease is left its time'],
    patches: [
      {
        file: finish,
        find: `WHERE id = ? AND fence = ? AND state = 'running' AND (started_at IS NOT NULL OR ? IS NOT NULL)`,
        replace: `WHERE id = ? AND ? > 0 AND state = 'running' AND (started_at IS NOT NULL OR ? IS NOT NULL)`,
      },
      {
        file: endings,
        find: `started_at = COALESCE(started_at, ?::bigint)
  WHERE id = ? AND fence = ?`,
        replace: `started_at = COALESCE(started_at, ?::bigint)
  WHERE id = ? AND ? > 0`,
      },
      {
        file: endings,
        find: `start_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ?`,
        replace: `start_by = NULL, leased_until = NULL
  WHERE id = ? AND ? > 0`,
      },
    ],
  },
  {
    name: 'an-enqueue-acknowledges-what-it-did-not-write',
    says: 'An enqueue whose unique key is taken answers with its own id, which is no row.',
    rules: ['what is acknowledged is written'],
    patches: [
      {
        file: enqueue,
        find: 'return { id: text(same.id), created: false }',
        replace: 'return { id: draft.id, created: false }',
      },
    ],
  },
  {
    name: 'no-unique-key',
    says: 'The unique index of (job, unique key) is not there.',
    rules: ['one unfinished execution per unique key'],
    patches: [
      {
        file: 'src/store/migrate.ts',
        find: `const up = read('up')`,
        replace: `const up = read('up').replace(/CREATE UNIQUE INDEX evertick_job_executions_unique[^;]*;/, '')`,
      },
    ],
  },
  {
    name: 'local-clock-for-leases',
    says: "A renewal dates a lease by the process's own uptime, which nobody else knows.",
    rules: ['a healthy worker keeps its lease'],
    patches: [
      {
        file: leaseKeeper,
        find: 'const leasedUntil = now + this.#leaseMs',
        replace: 'const leasedUntil = this.#context.clock.monotonic() + this.#leaseMs',
      },
    ],
  },
  {
    name: 'expired-heartbeat-revives-a-lease',
    says: 'A late renewal takes an execution back that the rescuer has given to whoever comes next.',
    rules: ['running begins with a claim'],
    patches: [
      {
        file: lease,
        find: `SET leased_until = ? WHERE id = ? AND fence = ? AND state = 'running'`,
        replace: `SET state = 'running', leased_until = ? WHERE id = ? AND fence = ? AND finished_at IS NULL`,
      },
    ],
  },
  {
    name: 'attempts-counted-on-failure-only',
    says: 'Neither claim nor start counts an attempt, only a failing end does: a crash costs none.',
    rules: ['attempts count at their start'],
    patches: [
      {
        file: claim,
        find: 'attempt = attempt + ?, started_at',
        replace: 'attempt = attempt + 0 * ?, started_at',
      },
      { file: lease, find: 'SET attempt = attempt + 1, started_at', replace: 'SET started_at' },
      {
        file: endings,
        find: 'attempt = attempt + CASE WHEN started_at IS NULL THEN 1 ELSE 0 END - ?',
        replace: 'attempt = attempt + 1 - ?',
      },
      {
        file: endings,
        find: 'attempt = attempt + CASE WHEN started_at IS NULL AND ?::bigint IS NOT NULL THEN 1 ELSE 0 END',
        replace: 'attempt = attempt + CASE WHEN ?::bigint IS NULL THEN 1 ELSE 1 END',
      },
    ],
  },
  {
    name: 'a-mark-of-the-reserve-is-not-fenced',
    says: 'What was taken out of a reserve, or asked to stop, begins by its place all the same.',
    rules: ['an attempt starts once', 'a cancelled job runs nothing', 'attempts count at their start'],
    patches: [
      { file: reserves, find: 'AND turn = ? AND begun_to < ?', replace: 'AND ? > 0 AND begun_to < ?' },
    ],
  },
  {
    name: 'the-rescuer-does-not-ask-the-reserve',
    says: 'What had begun by its place when its worker died is given back, and costs no attempt.',
    rules: ['attempts count at their start', 'an attempt starts once'],
    patches: [{ file: rescue, find: 'yield* withReservedStarts(seen)', replace: 'seen' }],
  },
  {
    name: 'a-mark-passes-what-asks-its-own-row',
    says: 'A mark does not wait for starts before it that ask their own rows.',
    rules: [
      'attempts count at their start',
      'a cancelled job runs nothing',
      'nothing starts after its deadline',
    ],
    patches: [{ file: 'src/engine/worker/reserve.ts', find: '&& this.#alone === 0 ', replace: '' }],
  },
  {
    name: 'a-slot-counts-no-attempt',
    says: 'What is enqueued into the slot of an idle worker begins, and its attempt is not counted.',
    rules: ['attempts count at their start'],
    patches: [{ file: slots, find: '?::bigint, 1, 1, ?', replace: '?::bigint, 0, 1, ?' }],
  },
  {
    name: 'a-slot-of-a-paused-queue',
    says: 'An enqueue into the slot of an idle worker does not ask whether its queue is paused.',
    rules: ['a paused queue hands out nothing'],
    patches: [
      { file: slots, find: 'q.paused_at IS NOT NULL) = 0', replace: 'q.paused_at IS NOT NULL) >= 0' },
    ],
  },
  {
    name: 'ambiguous-commit-retried-without-its-guard',
    says: 'After a lost reply an end is written again over whatever the execution has become.',
    rules: ['final states stay final', 'states follow their table', 'a stale fence is refused'],
    patches: [
      {
        file: finish,
        find: `WHERE id = ? AND fence = ? AND state = 'running' AND (started_at IS NOT NULL OR ? IS NOT NULL)`,
        replace: 'WHERE id = ? AND fence = ? AND (? IS NULL OR TRUE)',
      },
      {
        file: endings,
        find: `started_at = COALESCE(started_at, ?::bigint)
  WHERE id = ? AND fence = ? AND state = 'running'`,
        replace: `started_at = COALESCE(started_at, ?::bigint)
  WHERE id = ? AND fence = ?`,
      },
      {
        file: endings,
        find: `start_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND (started_at IS NOT NULL OR ?::bigint IS NOT NULL)`,
        replace: `start_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND (?::bigint IS NULL OR TRUE)`,
      },
    ],
  },
  {
    name: 'crash-policy-ignored',
    says: "The rescuer tries again what crashed, also where onCrash is 'fail'.",
    rules: ['at most once by onCrash: fail'],
    patches: [
      {
        file: 'src/core/attempt/outcome.ts',
        find: `tried.onCrash === 'fail' ?`,
        replace: 'tried.onCrash === null ?',
      },
    ],
  },
  {
    name: 'transaction-completes-apart',
    says: "ctx.transaction commits the handler's writes first, and the completion in a transaction of its own.",
    rules: ['effects commit with the completion'],
    patches: [
      {
        file: 'src/store/sql/work/complete-within.ts',
        find: `after = yield* finishOne(finished, request, hot)
      if (after === null) throw staleLease(claim.id)`,
        replace: 'complete = () => finishOne(finished, request, hot)',
      },
      {
        file: 'src/store/sql/work/complete-within.ts',
        find: 'let after: Aftermath | null = null',
        replace: 'let complete: () => Script<Aftermath | null>',
      },
      {
        file: 'src/store/sql/work/complete-within.ts',
        find: 'if (after !== null) request',
        replace: `const after = await driver.write(() => complete())
  if (after !== null) request`,
      },
    ],
  },
  {
    name: 'a-timer-outlives-its-run',
    says: 'A run that ends in time leaves the timer of its timeout behind.',
    rules: ['a stop leaves nothing behind'],
    patches: [
      {
        file: 'src/engine/worker/held.ts',
        find: 'for (const cancel of this.#timers) cancel()',
        replace: '',
      },
    ],
  },
  {
    name: 'a-run-starts-early',
    says: 'What was claimed a little ahead of its time starts at once.',
    rules: ['nothing starts early'],
    patches: [
      {
        file: performer,
        find: 'const leftMs = Math.min(earlyMs, readyAt - clock.now())',
        replace: 'const leftMs = Math.min(0, readyAt)',
      },
    ],
  },
  {
    name: 'a-pause-leaves-what-is-reserved',
    says: 'A pause takes back the ticks to come that nobody has claimed, and leaves those in a reserve.',
    rules: ['a paused job makes nothing'],
    patches: [
      { file: 'src/store/sql/ticks/revoke-ahead.ts', find: 'yield* giveBackReserved(job, now)', replace: '' },
    ],
  },
  {
    name: 'a-mark-passes-what-is-not-due',
    says: 'What is due begins by its place, though something before it in the reserve is not due yet.',
    rules: ['nothing starts early', 'attempts count at their start'],
    patches: [{ file: 'src/engine/worker/reserve.ts', find: ' && place < firstUpcoming', replace: '' }],
  },
  {
    name: 'start-deadline-ignored-by-the-claim',
    says: 'A claim takes what could not start in time before the rescuer has cancelled it.',
    rules: ['nothing starts after its deadline'],
    patches: [
      {
        file: claim,
        find: 'AND (e.start_by IS NULL OR e.start_by >= ? OR e.attempt > 0)',
        replace: 'AND ? > 0',
      },
    ],
  },
  {
    name: 'an-end-leaves-its-row-behind',
    says: 'Where finished executions have their own table, an end copies its row there, and leaves it among the unfinished.',
    rules: ['an end moves its row'],
    patches: [
      {
        file: finished,
        find: 'const removed = yield* moved(removeText, ids)',
        replace: 'const removed = copied',
      },
    ],
  },
  {
    name: 'an-end-is-not-kept',
    says: 'Where finished executions have their own table, an end takes its row away, and keeps it nowhere.',
    rules: ['an account never vanishes', 'totals + ledger = all ticks', 'the audit agrees'],
    patches: [
      { file: finished, find: 'const copied = yield* moved(copyText, ids)', replace: 'let copied = 0' },
      {
        file: finished,
        find: 'const removed = yield* moved(removeText, ids)',
        replace: 'const removed = (copied = yield* moved(removeText, ids))',
      },
    ],
  },
]
