/** The value of a table's own key, for keys from outside: an inherited name such as `constructor` is not a key. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
