/** The value of a table's own key, for keys that come from outside: `constructor` is not one of them. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
