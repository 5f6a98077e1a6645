/** YAML can say what JSON cannot: such values would become others on their way to the database. */
import { isAlias, isPair, isScalar, type Node, visit } from 'yaml'

export interface ValueTrouble {
  readonly node: Node
  readonly why: string
  readonly next: string
}

export function valuesTrouble(node: Node): ValueTrouble | null {
  let found: ValueTrouble | null = null
  visit(node, {
    Pair(_, pair) {
      if (isScalar(pair.key) || isAlias(pair.key)) return undefined
      found = { node, why: 'A key of it is no text.', next: 'Write the key as text.' }
      return visit.BREAK
    },
    Scalar(key, scalar, path) {
      const { value } = scalar
      // Whatever a key is, it becomes text; that of a merge is none.
      if (key === 'key') return undefined
      if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
      if (typeof value === 'number' && Number.isFinite(value)) return undefined
      const of = path.at(-1)
      const name = key === 'value' && isPair(of) && isScalar(of.key) ? String(of.key.value) : 'A value'
      found = {
        node: scalar,
        why: `${name} is ${typeof value === 'number' ? value : `of the kind ${scalar.tag}`}, which JSON does not have.`,
        next: 'Write a number, or text in quotes.',
      }
      return visit.BREAK
    },
  })
  return found
}
