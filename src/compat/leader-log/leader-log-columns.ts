/** What a caller may say about the log's columns, checked once: names by a fixed list, values by their column's type. */
import { refuseBadName, refuseUnknown } from '../../app/config/call-options.ts'
import { EvertickError } from '../../core/error.ts'
import type { LeaderLogColumn, LeaderLogQuery, LeaderLogValues } from '../../store/store.ts'
import type { FindOptions, LeaderTerm } from './leader-term.ts'

const columns = [
  'id',
  'leader_instance',
  'start_time',
  'stop_time',
  'last_heartbeat',
  'handled_missed_tasks',
  'created_at',
  'updated_at',
] as const satisfies readonly LeaderLogColumn[]

const longestInstance = 255

/** A column without a value is refused everywhere: as a criterion it would match every term. */
export function columnValues(given: Partial<LeaderTerm>, use: 'find' | 'insert' | 'update'): LeaderLogValues {
  refuseUnknown(given, columns, 'scheduler_leader_log')
  if (use !== 'find' && 'id' in given) throw wrong('id', 'is given by the database')
  if (use === 'insert' && given.leader_instance === undefined) throw wrong('leader_instance', 'is missing')
  if (use === 'insert' && given.start_time === undefined) throw wrong('start_time', 'is missing')
  const entries = Object.entries(given) as [LeaderLogColumn, unknown][]
  return Object.fromEntries(entries.map(([column, value]) => [column, columnValue(column, value)]))
}

function columnValue(column: LeaderLogColumn, value: unknown): string | number | boolean | null {
  switch (column) {
    case 'id':
      if (Number.isSafeInteger(value)) return value as number
      throw wrong(column, 'must be a whole number')
    case 'leader_instance':
      refuseBadName(value, column, longestInstance)
      return value as string
    case 'handled_missed_tasks':
      if (typeof value === 'boolean') return value
      throw wrong(column, 'must be true or false')
    case 'start_time':
    case 'stop_time':
    case 'last_heartbeat':
    case 'created_at':
    case 'updated_at':
      if (value === null && (column === 'stop_time' || column === 'last_heartbeat')) return null
      if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime()
      throw wrong(column, 'must be a Date')
  }
}

export function refuseEmptyCriteria(where: LeaderLogValues): void {
  if (Object.keys(where).length > 0) return
  throw new EvertickError('invalid_option', 'An update without criteria would change every term.', {
    field: 'criteria',
    next: 'Name the term: update({ id: term.id }, …).',
  })
}

export function termOrder(options: FindOptions): Pick<LeaderLogQuery, 'orderBy' | 'limit'> {
  refuseUnknown(options, ['orderBy', 'limit'], 'find')
  const { orderBy = [], limit } = options
  for (const { column, order } of orderBy) {
    refuseUnknown({ [column]: order }, columns, 'orderBy')
    if (order !== 'asc' && order !== 'desc') throw wrong('orderBy', "must have the order 'asc' or 'desc'")
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw wrong('limit', 'must be a whole number of at least 1')
  }
  return {
    orderBy: orderBy as LeaderLogQuery['orderBy'],
    ...(limit === undefined ? {} : { limit }),
  }
}

function wrong(field: string, what: string): EvertickError {
  return new EvertickError('invalid_option', `${field} ${what}.`, {
    field,
    next: 'See LeaderTerm in docs/guide/leader-log.md.',
  })
}
