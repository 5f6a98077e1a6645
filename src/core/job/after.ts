/** What a job comes after: one of the jobs whose ends make its runs. */
import type { ItemForm } from './item-forms.ts'
import type { ChoiceWords } from './policies.ts'

/** Which ends of the parent count. */
export const afterWords = {
  success: { label: 'Succeeds', sentence: 'succeeds' },
  failure: { label: 'Fails', sentence: 'fails' },
  any: { label: 'Ends', sentence: 'has ended' },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export const joinWords = {
  all: { label: 'All of them', sentence: 'It runs once all of them have ended so.' },
  any: { label: 'Any of them', sentence: 'It runs once the first of them has ended so.' },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export type AfterEnd = keyof typeof afterWords

/** A job that this one comes after. As text its name, or `name:failure`. */
export interface AfterOption {
  /** The name of the job. */
  readonly job: string
  /** Which of its ends count. @default 'success' */
  readonly on?: AfterEnd
}

export interface Parent {
  readonly job: string
  readonly on: AfterEnd
}

/** A job's own name may have a colon, too: only these words after the last one are an end. */
const withEnd = /^(.*):(success|failure|any)$/su

export const afterForm: ItemForm<AfterOption, Parent, Parent> = {
  types: { file: './after.ts', written: 'AfterOption', stored: 'Parent', shown: 'Parent' },
  examples: ['backup', 'backup:failure'],
  stored: parentOf,
  shown: (parent) => parent,
  text(item) {
    const { job, on } = parentOf(item)
    return on === 'success' && !withEnd.test(job) ? job : `${job}:${on}`
  },
}

function parentOf(item: AfterOption | string): Parent {
  if (typeof item !== 'string') return { job: item.job, on: item.on ?? 'success' }
  const text = item.trim()
  const [, job = text, on = 'success'] = withEnd.exec(text) ?? []
  return { job, on: on as AfterEnd }
}

/** In place of a schedule. */
export function afterText(parents: readonly AfterOption[], join: keyof typeof joinWords): string {
  return `Once ${parentsText(parents, join === 'all' ? 'and' : 'or')}`
}

/** "import succeeds", or several of them. */
export function parentsText(parents: readonly AfterOption[], join: 'and' | 'or'): string {
  const each = parents.map(({ job, on = 'success' }) => `"${job}" ${afterWords[on].sentence}`)
  if (each.length < 2) return each.join('')
  return `${each.slice(0, -1).join(', ')} ${join} ${each.at(-1)}`
}
