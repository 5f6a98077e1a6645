/** The option `unique` of an enqueue, as it is written: a text, or a key with a mode. */
import { EvertickError } from '../../core/error.ts'
import { allUniqueModes, type KeyedEvent, type UniqueMode } from '../../core/execution/unique-key.ts'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { EnqueueOptions, UniqueKey } from '../../engine/worker/handler.ts'
import { refuseBadName, refuseUnknown } from '../config/call-options.ts'

/** `keep` is a key of the execution itself, the other modes are an event. */
export interface Unique {
  readonly uniqueKey: string | null
  readonly event?: KeyedEvent
}

const names = ['key', 'mode', 'within', 'max']
const longestKey = 500

export function uniqueOf({ unique, runAt }: Pick<EnqueueOptions, 'unique' | 'runAt'>): Unique {
  if (unique === undefined) return { uniqueKey: null }
  if (typeof unique === 'string') {
    if (unique === '')
      throw refused('unique', 'unique must be a non-empty string; give a key, or leave it out.')
    refuseBadName(unique, 'unique', longestKey)
    return { uniqueKey: unique }
  }
  if (typeof unique !== 'object' || unique === null)
    throw refused(
      'unique',
      "unique must be a key, or { key, mode }, as in { key: 'k', mode: 'debounce', within: '10s' }.",
    )
  return ofMode(unique, runAt !== undefined)
}

function ofMode(unique: UniqueKey, hasInstant: boolean): Unique {
  refuseUnknown(unique, names, 'unique')
  const { key, mode } = unique
  refuseBadName(key, 'unique.key', longestKey)
  refuseBadMode(mode)
  const withinMs = spanOf(unique, 'within')
  const maxMs = spanOf(unique, 'max')
  const hasSpan = mode === 'debounce' || mode === 'throttle'
  if (hasSpan && withinMs === null)
    throw refused('unique.within', `unique.within is missing: ${mode} needs a span, such as '5m'.`)
  if (!hasSpan && withinMs !== null)
    throw refused('unique.within', `unique.within means nothing to ${mode}; it is for debounce and throttle.`)
  if (mode !== 'debounce' && maxMs !== null)
    throw refused('unique.max', `unique.max means nothing to ${mode}; it is for debounce.`)
  if (maxMs !== null && maxMs < (withinMs ?? 0))
    throw refused('unique.max', 'unique.max must not be shorter than unique.within.')
  if (mode === 'debounce' && hasInstant)
    throw refused('runAt', 'runAt and debounce exclude each other: unique.within says when it runs.')
  return mode === 'keep' ? { uniqueKey: key } : { uniqueKey: null, event: { mode, key, withinMs, maxMs } }
}

function refuseBadMode(mode: unknown): asserts mode is UniqueMode {
  if (allUniqueModes.some((known) => known === mode)) return
  const near = typeof mode === 'string' ? didYouMean(mode, allUniqueModes) : undefined
  throw new EvertickError('invalid_option', `unique.mode must be one of ${allUniqueModes.join(', ')}.`, {
    field: 'unique.mode',
    ...(near === undefined ? {} : { next: `Did you mean "${near}"?` }),
  })
}

function spanOf(unique: UniqueKey, name: 'within' | 'max'): number | null {
  const value = unique[name]
  if (value === undefined) return null
  const ms = parseDuration(value, `unique.${name}`)
  if (ms === 0) throw refused(`unique.${name}`, `unique.${name} must be longer than nothing.`)
  return ms
}

function refused(field: string, message: string): EvertickError {
  return new EvertickError('invalid_option', message, { field })
}
