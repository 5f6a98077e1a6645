/** `evertick leader`: which node schedules, which did before, and what each repaired. */
import type { Command } from 'commander'
import type { TermView } from '../../../app/cluster/cluster.ts'
import { repairWords } from '../../../core/leader/term.ts'
import { examples, wholeNumber } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writePairs, writeTable } from '../../output/table.ts'
import { durationWords, type Times } from '../../output/times.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

export function addLeader(program: Command, cli: Cli): void {
  const leader = program
    .command('leader')
    .summary('which node schedules, now and before')
    .description('Shows the leader: the one node that schedules ticks. Every term is logged.')

  const status = leader
    .command('status')
    .description('Shows which node leads, since when, and what it repaired.')
    .action(() => withEvertick(cli, status, showStatus))
  examples(status, [['leader status']])

  const terms = leader
    .command('terms')
    .description(
      'Lists the terms of leadership, newest first, with the gap before each and what it repaired.',
    )
    .option('--instance <id>', 'only terms of this instance')
    .option('--limit <n>', 'list at most this many', wholeNumber(1, 100_000), 20)
    .action((options: { instance?: string; limit: number }) =>
      withEvertick(cli, terms, (session) => showTerms(session, options)),
    )
  examples(terms, [['leader terms'], ['leader terms --instance web-1:4711:a1b2c3 --json']])

  const stepDown = leader
    .command('step-down')
    .description('Ends the current term; another node takes over, or the same one after the lease expires.')
    .action(() =>
      withEvertick(cli, stepDown, async ({ evertick, terminal }) => {
        const steppedDown = await evertick.leader.stepDown()
        terminal.report(
          { steppedDown },
          steppedDown ? 'The term has ended.' : 'There is no leader, so there is no term to end.',
        )
      }),
    )
  examples(stepDown, [['leader step-down']])
}

async function showStatus({ evertick, terminal, times }: Session): Promise<void> {
  const leader = await evertick.leader.current()
  const [latest] = await evertick.leader.terms({ limit: 1 })
  const term = leader !== null && latest?.id === leader.termId ? latest : null
  terminal.answer({ leader, term }, (out) => {
    if (leader === null) {
      out.write(
        `${out.paint('late', '!')} There is no leader: nothing is scheduled until a node with the role scheduler starts.`,
      )
      if (latest !== undefined)
        out.write(
          `The last term, held by ${plainText(latest.leaderInstance)}, ended ${times.both(endOf(latest))}.`,
        )
      return
    }
    writePairs(out, [
      ['leader', plainText(leader.instance)],
      ['term', String(leader.termId)],
      ['since', term === null ? null : times.both(term.startTime)],
      ['lease until', times.both(leader.leaseUntil)],
      ['gap before', term === null ? null : gapWords(term)],
      ['repaired', term === null ? null : repaired(term)],
    ])
  })
}

async function showTerms(
  { evertick, terminal, times }: Session,
  options: { instance?: string; limit: number },
): Promise<void> {
  const terms = await evertick.leader.terms(options)
  terminal.answer({ terms }, (out) => {
    if (terms.length === 0 && out.tty) return out.write('There has been no leader yet.')
    const columns: readonly Column[] = [
      { title: 'TERM', align: 'right' },
      { title: 'INSTANCE', shrinks: true },
      `START (${times.timezone})`,
      { title: 'END', optional: true },
      'GAP BEFORE',
      { title: 'REPAIRED', shrinks: true },
    ]
    const rows = terms.map((term) => [
      String(term.id),
      plainText(term.leaderInstance),
      times.full(term.startTime),
      endWords(term, times),
      gapWords(term),
      repaired(term),
    ])
    writeTable(out, columns, rows)
  })
}

function endOf({ stopTime, lastHeartbeat, startTime }: TermView): Date {
  return stopTime ?? lastHeartbeat ?? startTime
}

function endWords({ stopTime, lastHeartbeat }: TermView, times: Times): string {
  if (stopTime !== null) return times.full(stopTime)
  return lastHeartbeat === null ? 'no heartbeat' : `last heartbeat ${times.full(lastHeartbeat)}`
}

function gapWords({ gapMs }: TermView): string {
  return gapMs === 0 ? 'none' : durationWords(gapMs)
}

function repaired({ missed, handledMissedTasks }: TermView): string {
  return repairWords(missed) + (handledMissedTasks ? '' : ' (unfinished)')
}
