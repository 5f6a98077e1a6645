/** The differences between two values, field by field: `retry.attempts` from `3` to `4`. */
export interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
}

function fieldsOf(whole: unknown): Map<string, string> {
  const fields = new Map<string, string>()
  const walk = (value: unknown, path: string) => {
    if (value == null) return
    const isPlain = typeof value === 'object' && !Array.isArray(value)
    if (!isPlain) {
      fields.set(path, typeof value === 'string' ? value : JSON.stringify(value))
      return
    }
    for (const [key, part] of Object.entries(value)) walk(part, path === '' ? key : `${path}.${key}`)
  }
  walk(whole, '')
  return fields
}
