/** The timeline of an execution: waiting, attempts, and the pauses between them. */
import type { ExecutionDetail } from '../../../../src/client/index.ts'
import { durationWords } from '../../words/times.ts'

export interface Stage {
  readonly kind: 'waiting' | 'attempt' | 'pause' | 'rest'
  readonly outcome: string
  readonly label: string
  /** If there is no room for the label. */
  readonly short: string
  readonly from: number
  /** Null while it is going on. */
  readonly to: number | null
}

export const outcomeWords: Readonly<Record<string, string>> = {
  completed: 'completed',
  error: 'failed, will be retried',
  failed: 'failed for good',
  crashed: 'its worker crashed',
  refused: 'refused: another worker held the lease',
  snoozed: 'snoozed',
  rested: 'gave up its slot to sleep or wait',
  cancelled: 'cancelled',
  running: 'running',
}

export function stagesOf(execution: ExecutionDetail): Stage[] {
  const { attempts, state, createdAt, startedAt, finishedAt, attempt } = execution
  const stages: Stage[] = []
  let reached = Date.parse(createdAt)
  const wait = (until: number | null) => {
    const before = stages.at(-1)
    if (until !== null && until <= reached) return
    const [kind, label] = gapAfter(before)
    stages.push({
      kind,
      outcome: 'waiting',
      label,
      short: '',
      from: reached,
      to: until,
    })
  }
  for (const past of attempts) {
    const from = past.startedAt === null ? null : Date.parse(past.startedAt)
    const to = Date.parse(past.finishedAt)
    wait(from ?? to)
    if (from !== null)
      stages.push({
        kind: 'attempt',
        outcome: past.outcome,
        label: `Attempt ${past.attempt}`,
        short: String(past.attempt),
        from,
        to,
      })
    reached = to
  }
  if (state === 'running' && startedAt !== null) {
    wait(Date.parse(startedAt))
    stages.push({
      kind: 'attempt',
      outcome: 'running',
      label: `Attempt ${attempt}`,
      short: String(attempt),
      from: Date.parse(startedAt),
      to: null,
    })
  } else if (finishedAt === null) wait(null)
  else wait(Date.parse(finishedAt))
  return stages
}

function gapAfter(before: Stage | undefined): [kind: Stage['kind'], label: string] {
  if (before === undefined) return ['waiting', 'Waited']
  return before.outcome === 'rested' ? ['rest', 'Rest'] : ['pause', 'Pause']
}

/** Longer stages are wider. The square root keeps an hour from hiding a second. */
export function weightOf(stage: Stage, at: number): number {
  return Math.sqrt(Math.max(1, (stage.to ?? at) - stage.from))
}

export function stageSentence({ label, outcome, kind, from, to }: Stage, at: number): string {
  const took = durationWords(Math.max(0, (to ?? at) - from))
  if (kind !== 'attempt') return `${label} ${took}`
  return `${label}: ${outcomeWords[outcome] ?? outcome}, ${took}`
}
