/** Which keys an execution carries: computed from its plain input when it is made, and stored as hashes. */
import { createHash } from 'node:crypto'
import { keyValue, limitId } from '../../../core/execution/limit.ts'
import type { Job } from '../../../core/job/job.ts'
import { optionalText } from '../runtime/rows.ts'
import { type Row } from '../runtime/script.ts'

export interface CarriedKey {
  readonly key: string
  readonly limitId: string
}

export interface Carrying {
  readonly queue: string
  readonly priority: number
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
}

/** By column; null where there is none. */
export interface CarriedKeys {
  readonly limit_keys: string | null
  readonly fair_key: string | null
}

const none: CarriedKeys = { limit_keys: null, fair_key: null }

export function carriedKeys({ id, spec }: Pick<Job, 'id' | 'spec'>, carrying: Carrying): CarriedKeys {
  const { limits, fairBy } = spec
  if (limits.length === 0 && fairBy === null) return none
  const keys = limits.map((limit) => {
    const path = typeof limit === 'string' ? null : limit.by
    const ofLimit = limitId(id, limit)
    return [hashOf(ofLimit, keyValue(path, carrying)), ofLimit]
  })
  const { queue, priority } = carrying
  return {
    limit_keys: keys.length === 0 ? null : JSON.stringify(keys),
    fair_key:
      fairBy === null ? null : hashOf('fair', queue, String(priority), fairBy, keyValue(fairBy, carrying)),
  }
}

const lists = new Map<string, string>()
const mostLists = 1_000

/** The list in which those of a queue stand who take turns. Each claim asks for it. */
export function turnsList(queue: string): string {
  const known = lists.get(queue)
  if (known !== undefined) return known
  if (lists.size >= mostLists) lists.clear()
  const list = hashOf('turns', queue)
  lists.set(queue, list)
  return list
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}

/** From a row of an execution. */
export function carriedFrom({ limit_keys }: Row): CarriedKey[] {
  const written = optionalText(limit_keys)
  if (written === null) return []
  return (JSON.parse(written) as [string, string][]).map(([key, limitId]) => ({ key, limitId }))
}
