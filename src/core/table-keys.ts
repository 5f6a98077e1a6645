/** Keys of constant tables: an object that lists every value of an enumeration, or every column, by its name. */

/** Typed by the table's own keys. As a tuple, since a table has at least one. */
export function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): [Name, ...Name[]] {
  return Object.keys(table) as [Name, ...Name[]]
}

/** The value of a key from outside: an inherited name such as `constructor` is not a key. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
