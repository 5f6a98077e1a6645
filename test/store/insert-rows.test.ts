/** Rows are written by the names of their columns: a swapped or forgotten one does not compile. */
import { expect, it } from 'vitest'
import { mysqlDialect } from '../../src/store/mysql/dialect.ts'
import { postgresDialect } from '../../src/store/postgres/dialect.ts'
import { insertAll, type RowOf } from '../../src/store/sql/runtime/script.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'

const columns = { id: 'text', at: 'number', note: 'text' } as const
/** In another order than the columns: only the names count. */
const row = { note: null, at: 7, id: 'a' } as const satisfies RowOf<typeof columns>

function inserted() {
  const step = insertAll('things', columns, [row]).next().value
  if (step === undefined) throw new Error('There is no step.')
  return step
}

it.each([
  { engine: 'sqlite', dialect: sqliteDialect, params: ['a', 7, null] },
  { engine: 'postgres', dialect: postgresDialect('s'), params: [['a'], '{}', [], 7, null] },
  { engine: 'mysql', dialect: mysqlDialect('p_'), params: [[['a', 7, null]]] },
])('writes the values of $engine in the order of the columns', ({ dialect, params }) => {
  const [spelled] = dialect.spell(inserted())
  expect(spelled?.text).toContain('(id, at, note)')
  expect(spelled?.params).toEqual(params)
})

it('does not compile with a value of the wrong type, a missing column or an unknown one', () => {
  // @ts-expect-error A number column takes no text.
  const swapped: RowOf<typeof columns> = { id: 'a', at: 'b', note: null }
  // @ts-expect-error `note` is missing.
  const missing: RowOf<typeof columns> = { id: 'a', at: 7 }
  // @ts-expect-error There is no column `notes`.
  const unknown: RowOf<typeof columns> = { ...row, notes: null }
  expect([swapped, missing, unknown]).toHaveLength(3)
})
