/** `evertick explain`: what happened to every tick of a span, and why. */
import type { Command } from 'commander'
import type { ExplanationView } from '../../../app/job/explain.ts'
import { examples, wholeNumber } from '../../help.ts'
import { instantArgument } from '../../instant-argument.ts'
import { counted, listed } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { widest } from '../../output/table.ts'
import type { Stream, Style } from '../../output/terminal.ts'
import { tickBar } from '../../output/tick-bar.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { executionsOf } from './executions-of-ticks.ts'
import { folded, ledgerLines } from './ledger-lines.ts'

interface ExplainOptions {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly all?: true
}

const barTicks = 60

export function addExplain(program: Command, cli: Cli): void {
  const command = program
    .command('explain <job>')
    .summary('what happened to each tick, and why')
    .description('Shows what happened to every tick in a span of time, and why, from the ledger.')
    .option('--from <instant>', 'start here: ISO 8601, or 2h for two hours ago', '1h')
    .option('--to <instant>', 'end before this: ISO 8601, now, or +1h', 'now')
    .option('--limit <n>', 'show at most this many ticks', wholeNumber(1, 1_000_000), 100_000)
    .option('--all', 'show every tick, even if many in a row ran on time')
    .action(async (job: string, options: ExplainOptions) => {
      await withEvertick(cli, command, (session) => explain(session, job, options))
    })
  examples(command, [
    ['explain nightly-report --from 24h'],
    ['explain nightly-report --from 2027-03-27T00:00:00Z --to 2027-03-29T00:00:00Z --json'],
    ['explain nightly-report --from now --to +1d', 'upcoming ticks'],
  ])
}

async function explain(session: Session, job: string, options: ExplainOptions): Promise<void> {
  const { evertick, terminal, times } = session
  const now = Date.now()
  const span = {
    from: instantArgument(options.from, 'from', now),
    to: instantArgument(options.to, 'to', now),
  }
  const explanation = await evertick.jobs.explain(job, { ...span, limit: options.limit })
  if (terminal.json) return terminal.data(explanation)
  const { scheduleText } = await evertick.jobs.get(job)
  const executions = await executionsOf(evertick, explanation, span.from)
  const { out } = terminal
  const heading = `${out.paint('strong', plainText(explanation.job))}  ${scheduleText ?? 'no schedule'}`
  out.write(`${heading}  ${out.paint('dim', `${times.span(span.from, span.to)}, ${times.timezone}`)}`)
  if (explanation.ticks.length === 0) {
    out.write('The job has no ticks in this span.')
    return
  }
  out.write('')
  const lines = ledgerLines(explanation.ticks, executions, times)
  const shown = options.all === true ? lines : folded(lines)
  const width = widest(shown.map(({ when }) => when))
  for (const { when, mark, text } of shown) {
    out.write(`${when.padEnd(width)}  ${out.paint(mark.style, mark.glyph)} ${out.paint(mark.style, text)}`)
  }
  if (explanation.truncated) out.write(`… more ticks follow; raise --limit (${options.limit}) to see them.`)
  out.write('')
  const recent = explanation.ticks.filter((tick) => tick.account !== 'upcoming').slice(-barTicks)
  if (recent.length > 1) out.write(tickBar(out, recent, executions))
  out.write(summary(out, explanation))
}

/** "3,600 ticks: 3,240 fired, 1 caught up and 359 coalesced. None is unaccounted for." */
function summary(out: Stream, { ticks, unaccounted }: ExplanationView): string {
  const words: readonly [ExplanationView['ticks'][number]['account'], string, Style][] = [
    ['fired', 'fired', 'ran'],
    ['caught_up', 'caught up', 'caught_up'],
    ['coalesced', 'coalesced', 'coalesced'],
    ['skipped', 'skipped', 'skipped'],
    ['undecided', 'not decided yet', 'late'],
    ['upcoming', 'upcoming', 'dim'],
    ['purged', 'older than the ledger', 'dim'],
    ['unaccounted', 'unaccounted', 'failed'],
  ]
  const parts = words.flatMap(([account, word, style]) => {
    const count = sum(ticks.filter((tick) => tick.account === account))
    return count === 0 ? [] : [out.paint(style, `${count.toLocaleString('en')} ${word}`)]
  })
  const verdict =
    unaccounted === 0
      ? 'None is unaccounted for.'
      : out.paint('failed', `${counted(unaccounted, 'tick')} unaccounted for: run \`evertick audit\`.`)
  return `${counted(sum(ticks), 'tick')}: ${listed(parts)}. ${verdict}`
}

/** Of a fixedDelay job an entry may stand for several ticks. */
function sum(ticks: ExplanationView['ticks']): number {
  return ticks.reduce((all, { count = 1 }) => all + count, 0)
}
