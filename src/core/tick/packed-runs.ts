/**
 * Runs of ticks as text: the kinds with their counts, then either the runs, or a few bits for each tick, whichever is
 * shorter. An hour of seconds that succeed and fail in turn takes 645 characters.
 */
import { cancelReasons } from '../execution/execution.ts'
import { finalStates } from '../execution/execution-state.ts'
import { keysOf } from '../table-keys.ts'
import { accounts, reasonSentences, type TickKind } from './account.ts'
import { type KindRun, kindText, mergedRuns } from './ledger-row.ts'

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_'
const bitsOfDigit = 6

export function packRuns(runs: readonly KindRun[]): string {
  const counts = new Map<string, number>()
  for (const { kind, count } of runs) counts.set(kindText(kind), (counts.get(kindText(kind)) ?? 0) + count)
  const kinds = [...counts.keys()]
  const places = runs.map(({ kind, count }) => ({ place: kinds.indexOf(kindText(kind)), count }))
  const head = [...counts].map(([kind, count]) => `${kind}*${count}`).join(',')
  const lengths = places.map(({ place, count }) => `${digits.charAt(place)}${count.toString(36)}`).join('.')
  const bits = bitsText(places, bitsFor(kinds.length))
  return lengths.length <= bits.length ? `${head};runs:${lengths}` : `${head};bits:${bits}`
}

export function unpackRuns(packed: string): KindRun[] {
  const [head = '', body = ''] = packed.split(';')
  const counted = countedKinds(head)
  const kinds = counted.map(({ kind }) => kind)
  const [form, text = ''] = body.split(':')
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  const places = form === 'runs' ? fromLengths(text) : fromBits(text, bitsFor(kinds.length), total)
  const runs = places.map(({ place, count }) => ({ kind: known(kinds[place]), count }))
  for (const { kind, count } of counted) {
    const found = runs.reduce((sum, run) => sum + (run.kind === kind ? run.count : 0), 0)
    if (found !== count) throw damaged()
  }
  return mergedRuns(runs)
}

/** How many there are of each kind, without a look at their order. */
export function packedCounts(packed: string): KindRun[] {
  return countedKinds(packed.split(';')[0] ?? '')
}

interface Place {
  readonly place: number
  readonly count: number
}

function bitsFor(kinds: number): number {
  return Math.max(1, Math.ceil(Math.log2(kinds)))
}

function bitsText(places: readonly Place[], bits: number): string {
  let text = ''
  let held = 0
  let waiting = 0
  for (const { place, count } of places) {
    for (let tick = 0; tick < count; tick += 1) {
      held = held * 2 ** bits + place
      waiting += bits
      while (waiting >= bitsOfDigit) {
        waiting -= bitsOfDigit
        text += digits.charAt(Math.floor(held / 2 ** waiting))
        held %= 2 ** waiting
      }
    }
  }
  return waiting === 0 ? text : text + digits.charAt(held * 2 ** (bitsOfDigit - waiting))
}

function fromBits(text: string, bits: number, ticks: number): Place[] {
  const places: { place: number; count: number }[] = []
  let held = 0
  let waiting = 0
  let at = 0
  for (let tick = 0; tick < ticks; tick += 1) {
    while (waiting < bits) {
      const digit = digits.indexOf(text.charAt(at))
      if (digit === -1 || at >= text.length) throw damaged()
      held = held * 2 ** bitsOfDigit + digit
      waiting += bitsOfDigit
      at += 1
    }
    waiting -= bits
    const place = Math.floor(held / 2 ** waiting)
    held %= 2 ** waiting
    const last = places.at(-1)
    if (last?.place === place) last.count += 1
    else places.push({ place, count: 1 })
  }
  if (at !== text.length) throw damaged()
  return places
}

function fromLengths(text: string): Place[] {
  return text.split('.').map((run) => ({
    place: digits.indexOf(run.charAt(0)),
    count: Number.parseInt(run.slice(1), 36),
  }))
}

function countedKinds(head: string): KindRun[] {
  return head.split(',').map((counted) => {
    const [words = '', count] = counted.split('*')
    return { kind: kindFrom(words), count: Number(count) }
  })
}

function kindFrom(words: string): TickKind {
  const [account, what, cancelReason = null] = words.split('/')
  return {
    account: known(accounts.find((word) => word === account)),
    reason: keysOf(reasonSentences).find((word) => word === what) ?? null,
    outcome: finalStates.find((word) => word === what) ?? null,
    cancelReason: keysOf(cancelReasons).find((word) => word === cancelReason) ?? null,
  }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw damaged()
  return value
}

function damaged(): TypeError {
  return new TypeError('The packed ticks of a range cannot be read.')
}
