/** Converts a job's options to the values of the form's controls, and back. */
import { type Field, placedFields } from '../../../../src/core/job/fields.ts'
import type { JobOptions, JobSettings } from '../../../../src/core/job/options.ts'
import { gatherOptions, optionAt, toShown } from '../../../../src/core/job/options-codec.ts'

/** By path, such as `retry.base`; empty if not given. */
export type OptionDraft = Record<string, string | number>

/** The options with a control; metadata is JSON and has its own field. */
const drawnFields = placedFields.filter(({ field }) => field.is !== 'object')

/** The given value of each option, or its default. */
export function optionDraft(given: Readonly<Record<string, unknown>>): OptionDraft {
  const shown = drawnFields.map((placed) => {
    const { path, field } = placed
    const value = optionAt(given, placed) ?? toShown(field, field.default) ?? ''
    return [path, field.is === 'texts' ? (value as readonly string[]).join(', ') : value] as const
  })
  return Object.fromEntries(shown) as OptionDraft
}

/** An empty control leaves its option out, unless it is a text or list that may be empty. */
export function optionsOf(draft: OptionDraft): Omit<JobOptions, 'schedule'> {
  return gatherOptions(({ path, field }) => {
    // The server refuses a limit beside `allow`. Other hidden options keep their values for when they are shown again.
    const isRefused = path === 'maxConcurrent' && draft['overlap'] === 'allow'
    return isRefused || field.is === 'object' ? undefined : valueOf(field, draft[path] ?? '')
  })
}

/** Whether the other options leave this one a meaning. */
export function hasMeaning({ unless }: Field, draft: OptionDraft): boolean {
  if (unless === undefined) return true
  const [path, ...values] = unless
  return !values.includes(String(draft[path]))
}

/** The settings of a job with these options, for its sentences. An empty control means the default. */
export function settingsOf(draft: OptionDraft): JobSettings<string> {
  const defaults = optionDraft({})
  const settings = gatherOptions(({ path }) => {
    const value = draft[path] === '' ? defaults[path] : draft[path]
    return value === '' ? undefined : value
  })
  return settings as unknown as JobSettings<string>
}

function valueOf(field: Field, value: string | number): unknown {
  const text = String(value).trim()
  if (field.is === 'texts')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  if (field.is === 'text' && field.min === 0) return text
  return text === '' ? undefined : typeof value === 'number' ? value : text
}
