/** What the parents of a job have come to, as a sentence. */
import { afterWords } from '../job/after.ts'
import type { Arrival, JoinState, NotMadeReason } from './join.ts'

const outcomeWords = {
  completed: 'has completed',
  failed: 'failed',
  cancelled: 'was cancelled',
  not_made: 'was not run',
  late: 'is late',
  missing: 'did not run',
  paused: 'is paused',
} as const satisfies Readonly<Record<NonNullable<Arrival['outcome']>, string>>

const ownWords = {
  disabled: 'the job is disabled',
  cancelled: 'the job is cancelled',
  error: 'its definition no longer evaluates',
} as const satisfies Readonly<Record<Exclude<NotMadeReason, 'parents'>, string>>

export interface ToldJoin {
  readonly state: JoinState
  readonly reason: NotMadeReason | null
  readonly mode: 'all' | 'any'
  readonly parents: readonly Arrival[]
}

export function joinSentence({ state, reason, mode, parents }: ToldJoin): string {
  const met = parents.filter((parent) => parent.met)
  const others = parents.filter((parent) => !parent.met)
  switch (state) {
    case 'made':
      return `It was made: ${listed(met.map(outcomeText), 'and')}.`
    case 'not_made': {
      const why =
        reason === null || reason === 'parents' ? listed(others.map(outcomeText), 'and') : ownWords[reason]
      return `It was not made: ${why}.`
    }
    case 'open': {
      const waits = others.map(({ job, on }) => `"${job}" ${afterWords[on].sentence}`)
      const since = met.length === 0 ? '' : ` ${capital(listed(met.map(outcomeText), 'and'))}.`
      return `It waits until ${listed(waits, mode === 'all' ? 'and' : 'or')}.${since}`
    }
  }
}

function outcomeText({ job, outcome }: Arrival): string {
  return `"${job}" ${outcome === null ? 'has not run yet' : outcomeWords[outcome]}`
}

function listed(parts: readonly string[], word: 'and' | 'or'): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
