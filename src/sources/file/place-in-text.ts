/** Where something stands in a file, so that an error can point at it. */
import { isAlias, isMap, isPair, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'

export interface Place {
  readonly line: number
  readonly column: number
}

export function placeOf(counter: LineCounter, offset: number): Place {
  const { line, col } = counter.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

export function offsetOf(node: Node | null | undefined): number {
  return node?.range?.[0] ?? 0
}

/**
 * Of a field below a node, such as `retry.attempts` or `handler.headers.x.y`: a key may have dots of its own. What is not
 * written itself (a default, a merged key) stands where the nearest thing around it does.
 */
export function fieldOffset(node: Node | null | undefined, field: string): number {
  if (field === '' || node === null || node === undefined) return offsetOf(node)
  if (isSeq(node)) {
    const [index = '', ...rest] = field.split('.')
    const item = node.items[Number(index)]
    return isNode(item) ? fieldOffset(item, rest.join('.')) : offsetOf(node)
  }
  if (!isMap(node)) return offsetOf(node)
  const pair = node.items.find((one) => begins(field, keyOf(one)))
  if (pair === undefined) return offsetOf(node)
  const rest = field.slice(keyOf(pair).length + 1)
  const key = isNode(pair.key) ? pair.key : null
  return rest !== '' && (isMap(pair.value) || isSeq(pair.value)) && hasField(pair.value, rest)
    ? fieldOffset(pair.value, rest)
    : offsetOf(key)
}

function hasField(node: Node, field: string): boolean {
  if (isSeq(node)) return node.items[Number(field.split('.')[0])] !== undefined
  return isMap(node) && node.items.some((pair) => begins(field, keyOf(pair)))
}

function begins(field: string, key: string): boolean {
  return key !== '' && (field === key || field.startsWith(`${key}.`))
}

export function keyOf(pair: unknown): string {
  return isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : ''
}

export function pairOf(node: Node, key: string): Pair | undefined {
  return isMap(node) ? node.items.find((pair) => keyOf(pair) === key) : undefined
}

export function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value) || isAlias(value)
}
