/** A job's options as the form's controls hold them, and back. */
import { type Field, placedFields } from '../../../../src/core/job/fields.ts'
import type { JobOptions, JobSettings } from '../../../../src/core/job/options.ts'
import { gatherOptions, optionAt, toShown } from '../../../../src/core/job/options-codec.ts'

/** By path, such as `retry.base`; empty where it is not given. */
export type OptionDraft = Record<string, string | number>

/** Those with a control; metadata is JSON, and has a field of its own. */
const drawnFields = placedFields.filter(({ field }) => field.is !== 'object')

/** Each option as its control shows it: what is given, else the default. */
export function optionDraft(given: Readonly<Record<string, unknown>>): OptionDraft {
  const shown = drawnFields.map((placed) => {
    const { path, field } = placed
    const value = optionAt(given, placed) ?? toShown(field, field.default) ?? ''
    return [path, field.is === 'texts' ? (value as readonly string[]).join(', ') : value] as const
  })
  return Object.fromEntries(shown) as OptionDraft
}

/** An empty control says nothing, except of a text or a list that may be empty. */
export function optionsOf(written: OptionDraft): Omit<JobOptions, 'schedule'> {
  return gatherOptions(({ path, field }) => {
    const hasNoMeaning = path === 'maxConcurrent' && written['overlap'] === 'allow'
    return hasNoMeaning || field.is === 'object' ? undefined : valueOf(field, written[path] ?? '')
  })
}

/** How a job with these options would be set, for its sentences: where a control is empty, its default holds. */
export function settingsOf(written: OptionDraft): JobSettings<string> {
  const usual = optionDraft({})
  const settings = gatherOptions(({ path }) => {
    const value = written[path] === '' ? usual[path] : written[path]
    return value === '' ? undefined : value
  })
  return settings as unknown as JobSettings<string>
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
