/** A flow as lines of text: each step once, below the first step that it comes after. */
import type { FlowStep } from './flow.ts'
import { childrenOf } from './flow-graph.ts'

export interface TreeLine {
  readonly name: string
  /** What leads to it: rules as people draw them in text. */
  readonly indent: string
  /** The other steps that it comes after. */
  readonly also: readonly string[]
}

export function flowTree(steps: readonly FlowStep[]): TreeLine[] {
  const byName = new Map(steps.map((step) => [step.name, step]))
  const children = childrenOf(steps)
  const lines: TreeLine[] = []
  const roots = steps.filter(({ after }) => after.length === 0)
  const open = roots.map(({ name }) => ({ name, before: '', rule: '', below: '' })).toReversed()
  // A stack instead of calls: a chain of thousands is as deep as it is long.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, before, rule, below } = next
    lines.push({ name, indent: before + rule, also: byName.get(name)?.after.slice(1) ?? [] })
    const own = (children.get(name) ?? []).filter((child) => byName.get(child)?.after[0] === name)
    for (const [index, child] of [...own.entries()].toReversed()) {
      const isLast = index === own.length - 1
      open.push({
        name: child,
        before: before + below,
        rule: isLast ? '└─ ' : '├─ ',
        below: isLast ? '   ' : '│  ',
      })
    }
  }
  return lines
}
