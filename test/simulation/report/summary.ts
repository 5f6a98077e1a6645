/** What a campaign came to: a table, the rules that were broken, or one JSON object. */
import { counted } from '../../../src/cli/output/count-words.ts'
import { cut } from '../../../src/cli/output/plain-text.ts'
import { tableLines } from '../../../src/cli/output/table.ts'
import type { Stream } from '../../../src/cli/output/terminal.ts'
import { durationWords } from '../../../src/cli/output/times.ts'
import type { BrokenSeed, Totals } from '../campaign/totals.ts'

export interface Summary {
  readonly totals: Totals
  readonly elapsedMs: number
  readonly bug: string | null
}

/** Of all violations together. */
const mostListed = 10
const mostInJson = 100

/** Aligned also where no terminal is: it is read in logs. */
export function writeSummary(out: Stream, { totals, elapsedMs, bug }: Summary): void {
  const { sums, violations } = totals
  const last = totals.from + totals.seeds - 1
  const which = totals.seeds === 1 ? `seed ${last}` : `seeds ${totals.from} to ${last}`
  const title = `${totals.mode}, ${which}${bug === null ? '' : `, with the bug ${bug}`}`
  const rows: [string, string][] = [
    ['seeds', whole(totals.seeds)],
    ['virtual hours', totals.virtualHours.toLocaleString('en')],
    ['ticks', whole(sums.ticks)],
    ['attempts', whole(sums.attempts)],
    ['steps', whole(sums.steps)],
    ['repeated for want of a memo', whole(sums.repeated)],
    ['crashes', whole(sums.crashes)],
    ['failovers', whole(sums.failovers)],
    ['refused stale writes', whole(sums.refused)],
    ['faults', whole(sums.faults)],
    ['violations', out.paint(violations === 0 ? 'ran' : 'failed', whole(violations))],
    ['real time', durationWords(elapsedMs)],
  ]
  const columns = [{ title }, { title: '', align: 'right' as const }]
  for (const line of tableLines(columns, rows, out.columns, (text) => out.paint('dim', text))) out.write(line)
}

/** By rule, the one broken most often first; each rule shows at least one seed. */
export function writeViolations(out: Stream, broken: readonly BrokenSeed[]): void {
  const rules = byRule(broken)
  let left = Math.max(mostListed, rules.length)
  for (const [index, [rule, seeds]] of rules.entries()) {
    const kept = rules.length - index - 1
    const shown = seeds.slice(0, left - kept)
    left -= shown.length
    out.write('')
    out.write(`${out.paint('failed', '✗')} ${out.paint('strong', rule)}: ${counted(seeds.length, 'seed')}`)
    for (const { seed, message } of shown)
      out.write(`    seed ${seed}  ${cut(firstLine(message), out.columns - 20)}`)
    if (shown.length < seeds.length)
      out.write(`    … and ${counted(seeds.length - shown.length, 'more seed')}`)
  }
}

function byRule(broken: readonly BrokenSeed[]): (readonly [string, readonly BrokenSeed[]])[] {
  const rules = new Set(broken.map(({ rule }) => rule))
  return [...rules]
    .map((rule) => [rule, broken.filter((one) => one.rule === rule)] as const)
    .sort(([, a], [, b]) => b.length - a.length)
}

export function summaryObject({ totals, elapsedMs, bug }: Summary): object {
  const { seeds, mode, from, sums, violations, virtualHours, broken } = totals
  return {
    seeds,
    mode,
    from,
    virtualHours,
    ...sums,
    violations,
    seconds: Math.round(elapsedMs / 10) / 100,
    ...(bug === null ? {} : { bug }),
    broken: broken
      .slice(0, mostInJson)
      .map(({ seed, rule, message }) => ({ seed, rule, message: firstLine(message) })),
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text
}

function whole(count: number): string {
  return count.toLocaleString('en')
}
