/** What an execution waits for that comes after others, as a sentence. */
import { shortList } from './flow-graph.ts'

export type Dependency =
  | {
      readonly kind: 'steps'
      /** Some of them that have not ended; none where it comes after so many that nobody looked for them. */
      readonly names: readonly string[]
      readonly open: number
    }
  | { readonly kind: 'batch'; readonly open: number; readonly total: number }

export function dependencySentence(dependency: Dependency): string {
  if (dependency.kind === 'batch') {
    const { open, total } = dependency
    return `It waits for its batch: ${open.toLocaleString('en')} of ${total.toLocaleString('en')} have not ended.`
  }
  const { names, open } = dependency
  const steps = open === 1 ? 'step' : 'steps'
  if (names.length === 0) return `It waits for ${open.toLocaleString('en')} ${steps} of its flow.`
  const quoted = names.slice(0, Math.min(3, open)).map((name) => `"${name}"`)
  const more = open - quoted.length
  const list = more > 0 ? `${shortList(quoted)} and ${more.toLocaleString('en')} more` : anded(quoted)
  return `It waits for the ${steps} ${list} of its flow.`
}

function anded(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
