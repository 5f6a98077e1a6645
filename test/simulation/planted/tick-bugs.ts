/** The cursor, and the accounts of the ticks that it moves over. */
import type { PlantedBug } from './planted-bug.ts'

const catchUp = 'src/core/tick/catch-up.ts'
const fold = 'src/store/sql/ticks/fold-executions.ts'
const ledger = 'src/store/sql/ticks/purge-history.ts'
const rows = 'src/store/sql/ticks/ledger-rows.ts'
const lane = 'src/store/sql/work/lane.ts'
const leadership = 'src/store/sql/cluster/leadership.ts'
const store = 'src/store/sql/ticks/tick-store.ts'

/** What the planted `accountTicks` does first, and what it leaves for later. */
const holdBack = `
function* holdBack(script, later) {
  let answer
  for (;;) {
    const { done, value } = script.next(answer)
    if (done) return value
    const isAccount =
      value.into === 'live_executions' || /^\\s*(INSERT INTO|UPDATE) @(live_executions|tick_ranges)/.test(value.text)
    if (isAccount) later.push(value)
    answer = isAccount ? 1 : yield value
  }
}

function* runAll(statements) {
  for (const statement of statements) yield statement
}
`

/** What the planted `purgeHistory` does first, and what it leaves for later. */
const foldLater = `
function* foldLater(script, later) {
  let answer
  for (;;) {
    const { done, value } = script.next(answer)
    if (done) return value
    const isFold = value.into === 'tick_ranges'
    if (isFold) later.push(value)
    answer = isFold ? 1 : yield value
  }
}

function* runAll(statements) {
  for (const statement of statements) yield statement
}
`

/** The leader log's document, taken literally; its grace of minutes is scaled down to histories of minutes. */
const lookOnlyAtTheGap = `
const graceMs = 10_000

function* lookOnlyAtTheGap(now) {
  const last = yield* row('SELECT * FROM @scheduler_leader_log ORDER BY id DESC LIMIT 1')
  if (last === null) return
  const from = Math.min(effectiveEnd(termFrom(last), graceMs), now)
  const behind = yield* rows(
    "SELECT * FROM @jobs WHERE state = 'active' AND delay_ms IS NULL AND accounted_until < ?",
    from,
  )
  for (const job of behind.map(jobFrom)) {
    yield* run(
      'UPDATE @jobs SET accounted_until = ?, next_due_at = ?, version = version + 1 WHERE id = ?',
      from,
      dueOf({ ...job, accountedUntil: from }),
      job.id,
    )
  }
}
`

export const tickBugs: readonly PlantedBug[] = [
  {
    name: 'cursor-moved-before-the-insert',
    says: 'The cursor moves in one transaction, and the accounts follow in a second.',
    rules: ['no tick is lost'],
    patches: [
      {
        file: store,
        find: 'unlessLeadLost(write(() => accountTicks(request, context, hot), unspoken))',
        replace: `(async () => {
        let later = []
        const result = await unlessLeadLost(
          write(() => holdBack(accountTicks(request, context, hot), (later = [])), unspoken),
        )
        await write(() => runAll(later), unspoken)
        return result
      })()`,
      },
      { file: store, find: '/** A leader whose fence', replace: `${holdBack}/** A leader whose fence` },
    ],
  },
  {
    name: 'gap-from-heartbeat-plus-grace',
    says: "A new leader repairs only the gap that begins at the last term's last heartbeat plus a grace.",
    rules: ['no tick is lost'],
    patches: [
      {
        file: leadership,
        find: 'const at = timestamp(startAt)\n  const termId = ',
        replace: 'yield* lookOnlyAtTheGap(now)\n  const at = timestamp(startAt)\n  const termId = ',
      },
      {
        file: leadership,
        find: `import type { LeaderTerm } from '../../../core/leader/term.ts'`,
        replace: `import { effectiveEnd, type LeaderTerm } from '../../../core/leader/term.ts'`,
      },
      {
        file: leadership,
        find: `import { number, optionalText, text } from '../runtime/rows.ts'`,
        replace: `import { jobFrom, number, optionalText, text } from '../runtime/rows.ts'
import { dueOf } from '../ticks/settle.ts'`,
      },
      {
        file: leadership,
        find: 'export function* electLeader(',
        replace: `${lookOnlyAtTheGap}export function* electLeader(`,
      },
    ],
  },
  {
    name: 'coalesced-range-holds-its-run',
    says: 'A coalesced range also counts the tick that stands for it.',
    rules: ['each tick is accounted once', 'a range counts its ticks'],
    patches: [
      {
        file: catchUp,
        find: `rangeOf(sequence, windowFrom, oldest, 'coalesced'`,
        replace: `rangeOf(sequence, windowFrom, oldest + 1, 'coalesced'`,
      },
    ],
  },
  {
    name: 'range-miscounts-by-one',
    says: 'A range of more than one tick is counted without its last.',
    rules: ['a range counts its ticks'],
    patches: [
      {
        file: catchUp,
        find: 'return [{ from: first, to: last, count, account',
        replace: 'return [{ from: first, to: last, count: Math.max(1, count - 1), account',
      },
    ],
  },
  {
    name: 'retention-deletes-at-the-ledger-line',
    says: "Retention also deletes the row at which the ledger begins: a '<=' for a '<'.",
    rules: ['an account never vanishes'],
    patches: [
      {
        file: ledger,
        find: 'DELETE FROM @tick_ranges WHERE job_id = ? AND to_at < ?',
        replace: 'DELETE FROM @tick_ranges WHERE job_id = ? AND to_at <= ?',
      },
    ],
  },
  {
    name: 'a-fold-loses-a-tick',
    says: 'Of several ticks that are folded at once, the last is deleted and not folded.',
    rules: ['an account never vanishes'],
    patches: [
      {
        file: fold,
        find: 'ticks.map((ended) => rowOf(ended, spans))',
        replace: 'ticks.slice(0, Math.max(1, ticks.length - 1)).map((ended) => rowOf(ended, spans))',
      },
    ],
  },
  {
    name: 'a-fold-outside-its-transaction',
    says: 'Executions are deleted in one transaction, and what became of their ticks is written in a second.',
    rules: ['an account never vanishes'],
    patches: [
      {
        file: store,
        find: 'write(() => purgeHistory(request))',
        replace: `(async () => {
        let later = []
        const result = await write(() => foldLater(purgeHistory(request), (later = [])))
        await write(() => runAll(later))
        return result
      })()`,
      },
      { file: store, find: '/** A leader whose fence', replace: `${foldLater}/** A leader whose fence` },
    ],
  },
  {
    name: 'a-fold-joins-over-what-is-kept',
    says: 'Rows of the ledger join, though an execution that is kept lies between them.',
    rules: ['each tick is accounted once', 'the audit agrees'],
    patches: [
      {
        file: rows,
        find: 'const after = packRows(joinRows(all, kept), kept)',
        replace: 'const after = packRows(joinRows(all, []), kept)',
      },
    ],
  },
  {
    name: 'overlap-counts-only-running',
    says: 'What is pending or waits for its retry does not count as under way.',
    rules: ['overlap holds'],
    patches: [
      {
        file: lane,
        find: `WHERE job_id IN ?* AND \${isActive} AND cause <> 'enqueue' ORDER BY seq`,
        replace: `WHERE job_id IN ?* AND state = 'running' AND cause <> 'enqueue' ORDER BY seq`,
      },
    ],
  },
  {
    name: 'a-catch-up-costs-a-tick',
    says: "With overlap 'skip', a tick is skipped for whatever is under way, a catch-up or a trigger too.",
    rules: ["only a tick's own execution costs a tick"],
    patches: [
      {
        file: 'src/core/execution/overlap.ts',
        find: `active.filter((execution) => execution.cause === 'schedule').length`,
        replace: 'active.length',
      },
    ],
  },
  {
    name: 'catch-ups-pile-up',
    says: 'Catch-ups of earlier outages that have not started stay, beside those of this one.',
    rules: ['maxMissedRuns holds'],
    patches: [
      {
        file: 'src/store/sql/ticks/apply-plan.ts',
        find: 'if (plan.keepCatchUps !== null) {',
        replace: 'if (plan.keepCatchUps === undefined) {',
      },
    ],
  },
]
