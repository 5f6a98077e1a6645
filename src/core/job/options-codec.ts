/** A job's options as they are written, stored and shown. Durations, instants and sizes are converted here and nowhere else. */
import { bytesText, parseBytes } from '../bytes.ts'
import { durationText, parseDuration } from '../schedule/duration.ts'
import { parseInstant } from '../schedule/instant.ts'
import {
  type Field,
  type FieldShape,
  jobOptions,
  type Option,
  type OptionName,
  type PlacedField,
  placedFields,
} from './fields.ts'
import type { JobOptions, JobSettings, StoredOptions } from './options.ts'

type Values = Readonly<Record<string, unknown>>

/** Merges the given options over the previous ones, field by field, also inside a group. */
export function storedOptions(given: JobOptions, before: StoredOptions = defaultOptions): StoredOptions {
  const stored = jobOptions.flatMap(([name, option]) => {
    const value = (given as Values)[name]
    if (value === undefined) return []
    if (option.is !== 'group') return [[storedName(name, option), toStored(option, value, name)] as const]
    const parts = typeof value === 'object' ? (value as Values) : { [option.short ?? '']: value }
    const changed = Object.entries(option.fields).flatMap(([part, field]) =>
      parts[part] === undefined
        ? []
        : [[storedName(part, field), toStored(field, parts[part], `${name}.${part}`)] as const],
    )
    return [
      [name, { ...(before[name as keyof StoredOptions] as object), ...Object.fromEntries(changed) }] as const,
    ]
  })
  return { ...before, ...(Object.fromEntries(stored) as Partial<StoredOptions>) }
}

/** Every option, as a view shows it: null where there is none, and in a group nothing at all. */
export function shownOptions(stored: StoredOptions): JobSettings {
  const shown = jobOptions.map(([name, option]) => {
    if (option.is !== 'group') return [name, toShown(option, valueOf(stored, name, option))] as const
    const group = stored[name as keyof StoredOptions] as Values
    const parts = Object.entries(option.fields).map(
      ([part, field]) => [part, toShown(field, group[storedName(part, field)])] as const,
    )
    return [name, withoutNull(parts)] as const
  })
  return Object.fromEntries(shown) as unknown as JobSettings
}

/** The options that its user would write, the defaults too. */
export function writtenOptions(stored: StoredOptions): JobOptions {
  const { maxConcurrent, ...shown } = shownOptions(stored)
  // With `allow` a limit has no meaning.
  const limit = stored.overlap === 'allow' ? [] : [['maxConcurrent', maxConcurrent] as const]
  return withoutNull([...Object.entries(shown), ...limit])
}

/** The options, as written or shown, that differ from their defaults. */
export function tellingOptions(written: Values): Values {
  const told = jobOptions.flatMap(([name, option]) => {
    const value = written[name]
    if (option.is !== 'group') return tells(option, value) ? [[name, value] as const] : []
    const parts = Object.entries((value ?? {}) as Values).filter(([part, its]) => {
      const field = option.fields[part]
      return field !== undefined && tells(field, its)
    })
    return parts.length === 0 ? [] : [[name, Object.fromEntries(parts)] as const]
  })
  return Object.fromEntries(told)
}

function tells(field: Field, value: unknown): boolean {
  const usual = toShown(field, field.default)
  return (
    value !== undefined && value !== null && value !== '' && JSON.stringify(value) !== JSON.stringify(usual)
  )
}

/** Options of single fields: those for which there is a value. */
export function gatherOptions(valueOf: (placed: PlacedField) => unknown): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const placed of placedFields) {
    const { option, part } = placed
    const value = valueOf(placed)
    if (value === undefined) continue
    options[option] = part === null ? value : { ...(options[option] as object), [part]: value }
  }
  return options
}

/** The value of a single field in options. */
export function optionAt(options: Values, { option, part }: PlacedField): unknown {
  const given = options[option]
  return part === null ? given : (given as Values | undefined)?.[part]
}

function defaultOf(option: Option): unknown {
  if (option.is !== 'group') return option.default
  const parts = Object.entries(option.fields).map(([part, field]) => [storedName(part, field), field.default])
  return Object.fromEntries(parts)
}

export const defaultOptions = Object.fromEntries(
  jobOptions.map(([name, option]) => [
    option.is === 'group' ? name : storedName(name, option),
    defaultOf(option),
  ]),
) as unknown as StoredOptions

function valueOf(stored: StoredOptions, name: OptionName, field: Field): unknown {
  return (stored as unknown as Values)[storedName(name, field)]
}

/** The name of a stored duration ends in `Ms`. */
export function storedName(name: string, { is }: { readonly is: FieldShape['is'] }): string {
  return is === 'duration' ? `${name}Ms` : name
}

export function toStored(field: FieldShape, value: unknown, path: string): unknown {
  switch (field.is) {
    case 'duration':
      return parseDuration(value, path)
    case 'instant':
      return parseInstant(value, path)
    case 'bytes':
      return parseBytes(value, path)
    default:
      return value
  }
}

export function toShown(field: FieldShape, stored: unknown): unknown {
  if (stored === null || stored === undefined) return null
  switch (field.is) {
    case 'duration':
      return durationText(stored as number)
    case 'instant':
      return new Date(stored as number)
    case 'bytes':
      return bytesText(stored as number)
    default:
      return stored
  }
}

function withoutNull(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}
