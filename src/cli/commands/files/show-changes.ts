/** What a list of jobs does, or would do: job by job, and for a look ahead field by field. */
import type { ApplyResult } from '../../../app/job/managed/apply-list.ts'
import type { FieldDifference } from '../../../app/job/managed/differences.ts'
import type { ListChange } from '../../../app/job/managed/plan-list.ts'
import { counted } from '../../output/count-words.ts'
import { cut, plainText, widthOf } from '../../output/plain-text.ts'
import { padded, widest } from '../../output/table.ts'
import type { Stream, Style, Terminal } from '../../output/terminal.ts'

const marks: Readonly<Record<ListChange['becomes'], { mark: string; style: Style; words: string }>> = {
  created: { mark: '+', style: 'ran', words: 'created' },
  updated: { mark: '~', style: 'late', words: 'updated' },
  deleted: {
    mark: '-',
    style: 'failed',
    words: 'deleted: cancelled and hidden, its history and ledger stay',
  },
  overridden: { mark: '!', style: 'paused', words: 'changed by hand, left alone until the file changes' },
  kept: { mark: '!', style: 'paused', words: 'is there already and differs, left alone' },
}

const longestValue = 200

/** `fields`: also what differs. */
export function showChanges(terminal: Terminal, result: ApplyResult, { fields }: { fields: boolean }): void {
  terminal.answer(result, (out) => {
    for (const change of result.changes) {
      const { mark, style, words } = marks[change.becomes]
      out.write(`${out.paint(style, `${mark} ${plainText(change.job)}`)}  ${out.paint('dim', words)}`)
      if (fields && change.becomes !== 'deleted') showFields(out, change)
    }
    for (const { job, why } of result.failed) terminal.say(`✗ ${plainText(job)}: ${plainText(why)}`)
    terminal.say(summary(result))
    if (result.missing.length > 0) terminal.say(missingWords(result))
  })
}

function showFields(out: Stream, { becomes, fields }: ListChange): void {
  if (fields.length === 0) out.write('    nothing that shows: the same in other words')
  const width = Math.min(40, widest(fields.map(({ field }) => plainText(field))))
  for (const difference of fields) {
    const field = plainText(difference.field)
    const name = widthOf(field) > width ? field : padded(field, width)
    out.write(`    ${name}  ${shown[becomes](out, difference)}`)
  }
}

const shown: Readonly<Record<ListChange['becomes'], (out: Stream, difference: FieldDifference) => string>> = {
  created: (_, { after }) => valueText(after),
  updated: (out, { before, after }) =>
    `${out.paint('failed', valueText(before))} -> ${out.paint('ran', valueText(after))}`,
  deleted: (_, { before }) => valueText(before),
  overridden: (out, difference) => sides(out, difference),
  kept: (out, difference) => sides(out, difference),
}

/** Nothing turns into anything: both stand side by side. */
function sides(out: Stream, { before, after }: FieldDifference): string {
  return `${out.paint('strong', valueText(before))} here, ${valueText(after)} in the file`
}

/** What is not written has its default. */
function valueText(value: unknown): string {
  if (value === undefined) return 'the default'
  return cut(plainText(JSON.stringify(value)), longestValue)
}

function summary(result: ApplyResult): string {
  const { manager, created, updated, deleted, unchanged, overridden, kept, failed, dryRun } = result
  const parts = Object.entries({
    created,
    updated,
    deleted,
    unchanged,
    'changed by hand': overridden,
    'left alone': kept,
    failed,
  }).flatMap(([words, jobs]) => (jobs.length === 0 ? [] : [`${jobs.length.toLocaleString('en')} ${words}`]))
  const whose = manager === 'api' ? '' : `${manager}: `
  return `${whose}${parts.length === 0 ? 'no jobs' : parts.join(', ')}${dryRun ? ' (nothing was written)' : ''}.`
}

const mostNamed = 5

function missingWords({ manager, missing }: ApplyResult): string {
  const named = missing.slice(0, mostNamed).map(plainText).join(', ')
  const more = missing.length > mostNamed ? ` and ${missing.length - mostNamed} more` : ''
  return `${counted(missing.length, 'job')} of ${manager} no longer in it, left as they are: ${named}${more}. --prune deletes them.`
}
