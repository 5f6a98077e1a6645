/** Reads tables that Evertick did not make, on every engine alike. Names are checked here: they become SQL as they are. */
import { EvertickError } from '../../core/error.ts'
import type { ForeignRow, ForeignTables } from '../foreign.ts'
import { number } from './runtime/rows.ts'
import { look, type Param, type Row, type Script } from './runtime/script.ts'

export interface ForeignEngine extends Pick<ForeignTables, 'dialect' | 'close'> {
  readonly read: <T>(script: () => Script<T>) => Promise<T>
  /** How SQL names the table or view that is meant; null where there is none. */
  readonly find: (table: string, schema: string | null) => Script<string | null>
}

const pageSize = 1_000

export function foreignTables({ dialect, read, find, close }: ForeignEngine): ForeignTables {
  const found = async (table: string): Promise<string | null> => {
    const { name, schema } = partsOf(table)
    return await read(() => find(name, schema))
  }
  return {
    dialect,
    hasTable: async (table) => (await found(table)) !== null,
    countRows: async (table) => {
      const text = await found(table)
      return text === null ? 0 : await read(() => countRows(text))
    },
    async *rowsOf(table, keys) {
      const text = await found(table)
      if (text === null) return
      const [first] = await read(() => look(`SELECT * FROM ${text} LIMIT 1`))
      if (first === undefined) return
      const key = keys.find((name) => name in first)
      if (key === undefined) throw noKey(table, keys)
      for (let after: Param = null; ; ) {
        const page: Row[] = await read(() => pageAfter(text, key, after))
        if (page.length > 0) yield page satisfies readonly ForeignRow[]
        if (page.length < pageSize) return
        after = page.at(-1)?.[key] ?? null
      }
    },
    close,
  }
}

function* countRows(table: string): Script<number> {
  const [counted] = yield* look(`SELECT count(*) AS found FROM ${table}`)
  return number(counted?.found)
}

function* pageAfter(table: string, key: string, after: Param): Script<Row[]> {
  if (after === null) return yield* look(`SELECT * FROM ${table} ORDER BY ${key} LIMIT ${pageSize}`)
  return yield* look(`SELECT * FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${pageSize}`, after)
}

const nameShape = /^(?:([A-Za-z_]\w{0,62})\.)?([A-Za-z_]\w{0,62})$/

function partsOf(table: string): { schema: string | null; name: string } {
  const [, schema = null, name] = nameShape.exec(table) ?? []
  if (name !== undefined) return { schema, name }
  throw new EvertickError('invalid_option', `"${table}" is not the name of a table.`, {
    field: 'table',
    next: 'Use letters, digits and _, with a schema and a dot before it if it needs one; else make a view with such a name.',
  })
}

export function qualified(name: string, schema: string | null): string {
  return schema === null ? name : `${schema}.${name}`
}

function noKey(table: string, keys: readonly string[]): EvertickError {
  return new EvertickError('invalid_option', `The table ${table} has no column ${keys.join(' or ')}.`, {
    field: 'table',
    next: 'Name another table, or make a view that has it.',
  })
}
