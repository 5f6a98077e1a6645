/** What the newest sync of a source did, from the results of its executions. */
import { isRecord } from '../../../../src/core/unknown-value.ts'
import { counted } from '../../words/sentences.ts'

interface Ran {
  readonly id: string
  readonly state: string
  readonly result: unknown
}

export interface LastSync {
  readonly execution: string
  readonly sentence: string
  /** What somebody should look at: entries that were passed over, and why nothing was paused. */
  readonly troubles: readonly string[]
}

const changes = { added: 'added', modified: 'changed', removed: 'paused' } as const

/** The executions are newest first. A dry run changes nothing, and an answer that has not changed says nothing new. */
export function lastSync(executions: readonly Ran[]): LastSync | null {
  for (const { id, state, result } of executions) {
    if (state !== 'completed' || !isRecord(result) || !isRecord(result['counts'])) continue
    if (result['dryRun'] === true || result['notModified'] === true) continue
    return { execution: id, sentence: sentenceOf(result['counts']), troubles: troublesOf(result) }
  }
  return null
}

function sentenceOf(counts: Readonly<Record<string, unknown>>): string {
  const done = Object.entries(changes).flatMap(([kind, word]) => {
    const count = Number(counts[kind] ?? 0)
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${word}`]
  })
  const unchanged = counted(Number(counts['unchanged'] ?? 0), 'job')
  return done.length === 0 ? `${unchanged} unchanged` : done.join(', ')
}

function troublesOf({ invalid, heldBecause, counts }: Readonly<Record<string, unknown>>): string[] {
  const entries = Array.isArray(invalid) ? invalid.filter(isRecord) : []
  const passed = entries.map(({ index, scheduleId, why }) => {
    const which = typeof scheduleId === 'string' ? scheduleId : `Entry ${String(index)}`
    return `${which} was passed over: ${String(why)}`
  })
  const all = isRecord(counts) ? Number(counts['invalid'] ?? 0) : 0
  const rest = all - passed.length
  return [
    ...(typeof heldBecause === 'string' ? [`Nothing was paused: ${heldBecause}`] : []),
    ...passed,
    ...(rest > 0 ? [`${rest.toLocaleString('en')} more were passed over`] : []),
  ]
}
