/**
 * Many rows as parameters of one constant text: a column is an array or, where all rows agree, one value beside an empty
 * array. The executions of a batch differ in a few of their twenty columns: as one JSON parameter a thousand of them took
 * 18 ms to insert, half of it for writing and reading JSON; so it takes 10.
 */
import { type Columns, type Param, plain } from '../sql/runtime/script.ts'

const types = { text: 'text', number: 'bigint' } as const

export interface BatchText {
  /** Stands in FROM, under the name `c`; `c.number` tells the rows' order. */
  readonly from: string
  /** A column's value, for SELECT, SET and WHERE. */
  readonly valueOf: (name: string) => string
}

/** The first column is always an array: it says how many rows there are. */
export function batchText(columns: Columns): BatchText {
  const names = Object.keys(columns)
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${types[type]}[]`)
  return {
    from: `unnest(${arrays.join(', ')}) WITH ORDINALITY AS c(${names.join(', ')}, number)`,
    valueOf: (name) =>
      name === names[0] ? `c.${name}` : `COALESCE(c.${name}, $${names.length + names.indexOf(name)})`,
  }
}

export function batchParams(columns: Columns, rows: readonly (readonly Param[])[]): Param[] {
  const given = Object.values(columns).map((type, index) => {
    const values = rows.map((row) => plain(row[index] ?? null))
    const agreed = index > 0 && values.every((value) => value === values[0])
    return { array: arrayOf(type, agreed ? [] : values), value: agreed ? (values[0] ?? null) : null }
  })
  return [...given.map(({ array }) => array), ...given.slice(1).map(({ value }) => value)]
}

/** Numbers need no quotes: the driver, who gives them some, took as long as the rest of the statement's way there. */
function arrayOf(type: Columns[string], values: readonly Param[]): Param {
  return type === 'number' ? `{${values.map((value) => value ?? 'NULL').join(',')}}` : values
}
