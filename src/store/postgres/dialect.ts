/** What is particular to PostgreSQL: names, parameters, and which of its errors mean what. */
import { type Dialect, fieldsOf, type Meaning, type Spelled, type Trouble } from '../sql/runtime/dialect.ts'
import { type Insert, isInsert, plain } from '../sql/runtime/script.ts'
import { serverMeanings } from '../sql/runtime/server-meanings.ts'
import type { ServerFailure } from '../sql/runtime/server-session.ts'
import { batchParams, batchText } from './batch.ts'

/** Statements are few and constant: each is rewritten once. */
export function postgresDialect(schema: string): Dialect {
  const texts = new Map<string, string>()
  const prefix = `"${schema}".`
  const rewrite = (text: string): string => {
    const known = texts.get(text)
    if (known !== undefined) return known
    let count = 0
    const rewritten = text
      .replaceAll(/@(\w+)/g, (_, name: string) => `${prefix}${name}`)
      .replaceAll('IN ?*', '= ANY(?)')
      .replaceAll('?', () => `$${(count += 1)}`)
    if (texts.size >= maxTexts) texts.clear()
    texts.set(text, rewritten)
    return rewritten
  }
  return {
    spell(step) {
      if (isInsert(step)) return [insertOf(step, prefix)]
      const text = rewrite(step.undurable === true ? `${step.text} AND ${unsynced}` : step.text)
      return [{ text: step.wants === 'id' ? `${text} RETURNING id` : text, params: step.params.map(plain) }]
    },
    template: (strings) => strings.reduce((text, next, index) => `${text}$${index}${next}`),
  }
}

const maxTexts = 500

/** For this transaction alone, and true. */
const unsynced = `set_config('synchronous_commit', 'off', true) = 'off'`

function insertOf({ into, columns, rows, numbered }: Insert, prefix: string): Spelled {
  const names = Object.keys(columns)
  const given = numbered === true ? 'OVERRIDING SYSTEM VALUE ' : ''
  const { from, valueOf } = batchText(columns)
  return {
    text: `INSERT INTO ${prefix}${into} (${names.join(', ')}) ${given}SELECT ${names.map(valueOf).join(', ')} FROM ${from}`,
    params: batchParams(columns, rows),
  }
}

const { away, crowded, full, gaveUp, locked, noDatabase, noEntry, noRight, noSchema, readOnly, refusing } =
  serverMeanings

/** SQLSTATEs, whole or by class. */
const meanings: Readonly<Record<string, Meaning>> = {
  '08': away,
  '57P01': away,
  '57P02': away,
  '57P03': away,
  '57P05': away,
  '25P03': away,
  '25006': readOnly,
  '28': noEntry,
  '3D000': noDatabase,
  '42501': noRight,
  '42P01': noSchema,
  '3F000': noSchema,
  '53100': full,
  '53300': crowded,
  '40': refusing,
  '55P03': locked,
  '57014': gaveUp,
}

/** Transactions that lost to another: the deadlock's victim, a key that somebody took first. */
const conflicts = new Set(['40001', '40P01', '23505'])
const losses = new Set(['57P01', '57P02', '57P03', '57P05', '25P03'])

/** Null for a failure that the server did not speak of: then the connection itself is in trouble. */
function stateOf({ cause }: ServerFailure): string | null {
  const { code, severity } = fieldsOf(cause)
  return typeof severity === 'string' && typeof code === 'string' ? code : null
}

export function troubleOf(failure: ServerFailure): Trouble {
  const state = stateOf(failure)
  if (state === null) return 'lost'
  if (conflicts.has(state)) return 'conflict'
  return state.startsWith('08') || losses.has(state) ? 'lost' : 'other'
}

export function meaningOf(failure: ServerFailure): Meaning | null {
  const state = stateOf(failure)
  return state === null ? away : (meanings[state] ?? meanings[state.slice(0, 2)] ?? null)
}
