/**
 * PostgreSQL's own: many rows as parameters of one constant text. A column is an array or, where all rows agree, one value
 * beside an empty array. The executions of a batch differ in a few of their twenty columns: as one JSON parameter a
 * thousand of them took 18 ms to insert, half of it for writing and reading JSON; so it takes 10.
 */
import { keysOf } from '../../core/table-keys.ts'
import { type Columns, type Param, plain } from '../sql/runtime/script.ts'
import { byKey } from './plans.ts'

const types = {
  text: 'text',
  number: 'bigint',
  uuid: 'uuid',
  real: 'double precision',
  timestamp: 'timestamp',
  flag: 'boolean',
} as const

export interface BatchText<Name extends string> {
  /** Stands in FROM, under the name `c`; `c.number` tells the rows' order. */
  readonly from: string
  /** A column's value, for SELECT, SET and WHERE. */
  readonly valueOf: (name: Name) => string
}

/** The first column is always an array: it says how many rows there are. */
export function batchText<Name extends string>(columns: Columns<Name>): BatchText<Name> {
  const names = keysOf(columns)
  const arrays = names.map((name, index) => `$${index + 1}::${types[columns[name]]}[]`)
  return {
    from: `unnest(${arrays.join(', ')}) WITH ORDINALITY AS c(${names.join(', ')}, number)`,
    valueOf: (name) =>
      name === names[0] ? `c.${name}` : `COALESCE(c.${name}, $${names.length + names.indexOf(name)})`,
  }
}

/**
 * Which rows of a batch still run under their fence. The state is spelled so that the planner cannot use the index of
 * leases: it would read all that runs, and the dead entries of all that ran since the last vacuum.
 */
export function isHeld(batch: BatchText<'fence'>): string {
  return `${byKey('e.id', 'c.id')} AND e.fence = ${batch.valueOf('fence')} AND (e.state = 'running') IS NOT FALSE`
}

/** The parameters of `batchText`, from rows by the names of their columns. */
export function batchParams<Name extends string>(
  columns: Columns<Name>,
  rows: readonly Readonly<Record<Name, Param>>[],
): Param[] {
  const given = keysOf(columns).map((name, index) => {
    const values = rows.map((row) => plain(row[name]))
    const agreed = index > 0 && values.every((value) => value === values[0])
    return { array: arrayOf(columns[name], agreed ? [] : values), value: agreed ? (values[0] ?? null) : null }
  })
  return [...given.map(({ array }) => array), ...given.slice(1).map(({ value }) => value)]
}

/** Written here, without quotes: the driver quotes each value, which doubled the time to send a statement. */
function arrayOf(type: Columns[string], values: readonly Param[]): Param {
  return type !== 'text' ? `{${values.map((value) => value ?? 'NULL').join(',')}}` : values
}
