/** A job's options as the form's controls hold them, and back. */
import { type Field, placedFields } from '../../../../src/core/job/fields.ts'
import type { JobOptions } from '../../../../src/core/job/options.ts'
import { toShown } from '../../../../src/core/job/options-codec.ts'

/** By path, such as `retry.base`; empty where it is not given. */
export type OptionDraft = Record<string, string | number>

/** Those with a control; metadata is JSON, and has a field of its own. */
const drawnFields = placedFields.filter(({ field }) => field.is !== 'object')

/** Each option as its control shows it: what is given, else the default. */
export function optionDraft(given: Readonly<Record<string, unknown>>): OptionDraft {
  const shown = drawnFields.map(({ path, option, part, field }) => {
    const own = part === null ? given[option] : (given[option] as Record<string, unknown> | undefined)?.[part]
    const value = own ?? toShown(field, field.default) ?? ''
    return [path, field.is === 'texts' ? (value as readonly string[]).join(', ') : value] as const
  })
  return Object.fromEntries(shown) as OptionDraft
}

/** An empty control says nothing, except of a text or a list that may be empty. */
export function optionsOf(written: OptionDraft): Omit<JobOptions, 'schedule'> {
  const options: Record<string, unknown> = {}
  for (const { path, option, part, field } of drawnFields) {
    if (option === 'maxConcurrent' && written['overlap'] === 'allow') continue
    const value = valueOf(field, written[path] ?? '')
    if (value === undefined) continue
    options[option] = part === null ? value : { ...(options[option] as object), [part]: value }
  }
  return options
}

function valueOf(field: Field, written: string | number): unknown {
  const text = String(written).trim()
  if (field.is === 'texts')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  if (field.is === 'text' && field.min === 0) return text
  return text === '' ? undefined : typeof written === 'number' ? written : text
}
