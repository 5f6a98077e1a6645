/** What an execution waits for at a limit, as a sentence that names the limit, the key, and who has its shares. */
import { isSecretName } from '../job/secret-name.ts'
import type { Execution } from './execution.ts'
import { leftText } from './left-text.ts'
import { keyValue, type LimitNumbers, limitPath } from './limit.ts'

interface LimitWaits {
  readonly reason: 'limit'
  readonly sentence: string
  readonly until?: number
  readonly next?: string
}

export interface LimitWait extends LimitNumbers {
  readonly limitId: string
  readonly running: number
  /** Some of those that have a share. */
  readonly holders: readonly { readonly id: string; readonly jobName: string; readonly node: string | null }[]
  /** When the next one may start by the rate; null where that is not what it waits for. */
  readonly startsAt: number | null
}

export function limitWaits(
  { limitId, concurrency, rate, running, holders, startsAt }: LimitWait,
  execution: Pick<Execution, 'input' | 'metadata'>,
  now: number,
): LimitWaits {
  const of = limitText(limitId, execution)
  const isFull = concurrency !== null && running >= concurrency
  if (!isFull && rate !== null && startsAt !== null)
    return {
      reason: 'limit',
      sentence: `It waits for ${of}: ${rate.count.toLocaleString('en')} may start per ${leftText(rate.perMs, 0)}, the next one in ${leftText(startsAt, now)}.`,
      until: startsAt,
    }
  if (!isFull)
    return { reason: 'limit', sentence: `It waits for ${of}, which has room: it goes on at any moment.` }
  const named = holders.map(
    ({ id, jobName, node }) => `${jobName} ${id}${node === null ? '' : ` on ${node}`}`,
  )
  const more = running > holders.length ? ` and ${(running - holders.length).toLocaleString('en')} more` : ''
  return {
    reason: 'limit',
    sentence: `It waits for ${of}: ${running.toLocaleString('en')} of ${concurrency.toLocaleString('en')} run (${named.join(', ')}${more}).`,
    next: limitId.includes('/')
      ? 'Wait until one of them ends, or raise the limit of its job.'
      : `Wait until one of them ends, or raise it: \`evertick limits set ${limitId} --concurrency …\`.`,
  }
}

const longestValue = 60

function limitText(limitId: string, execution: Pick<Execution, 'input' | 'metadata'>): string {
  if (!limitId.includes('/')) return `the limit "${limitId}"`
  const path = limitPath(limitId)
  if (path === null) return 'the limit of its job'
  const value = keyValue(path, execution)
  if (isSecretName(path.split('.').at(-1) ?? '')) return `the limit of its ${path}`
  return `the limit of ${path} ${value === '' ? '(none)' : value.slice(0, longestValue)}`
}
