/** An entry of an answer into a job as one writes it, by a mapping that is data. Pure. */
import { isRecord } from '../../core/unknown-value.ts'

export interface EntryMapping {
  readonly mapping: Readonly<Record<string, string>>
  readonly job: Readonly<Record<string, unknown>>
  readonly prefix: string
}

/** A job, or why the entry is none; its name, where it can be read, so that it is not taken for missing. */
export type MappedEntry =
  | { readonly name: string; readonly job: Readonly<Record<string, unknown>> }
  | { readonly name: string | null; readonly why: string }

export function mapEntry(entry: unknown, { mapping, job, prefix }: EntryMapping): MappedEntry {
  if (!isRecord(entry)) return { name: null, why: 'it is not an object' }
  const given = valueAt(entry, mapping['name'] ?? '')
  // Numbers are as good as texts: many APIs count their rows.
  const text = typeof given === 'number' && Number.isFinite(given) ? String(given) : given
  if (typeof text !== 'string' || text === '') return { name: null, why: `it has no ${mapping['name']}` }
  const name = `${prefix}${text}`
  let made: Readonly<Record<string, unknown>> = job
  let paused = false
  for (const [field, path] of Object.entries(mapping)) {
    const value = valueAt(entry, path)
    if (field === 'name' || value === undefined || value === null) continue
    if (field !== 'enabled') made = withValue(made, field.split('.'), value)
    else if (typeof value === 'boolean') paused = !value
    else return { name, why: `its ${path} is neither true nor false` }
  }
  return { name, job: { ...made, name, ...(paused ? { paused } : {}) } }
}

/** `a.b.0`; a single dot is the whole. Only what is the entry's own is read. */
export function valueAt(whole: unknown, path: string): unknown {
  if (path === '.') return whole
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (Reflect.get(value, key) as unknown)
          : undefined,
      whole,
    )
}

/** What stands above a mapped field is an object; anything else there gives way. */
function withValue(
  whole: unknown,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const around = isRecord(whole) ? whole : {}
  const inner = Object.hasOwn(around, key) ? around[key] : undefined
  // By its entries: a key such as __proto__ is a key like any other.
  return Object.fromEntries([
    ...Object.entries(around).filter(([other]) => other !== key),
    [key, rest.length === 0 ? value : withValue(inner, rest, value)],
  ])
}
