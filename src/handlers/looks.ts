/** Looks at all that runs apart: each soon after it began, then all of them together, four times a second. */
import { firstUsage, type GroupUsage, groupUsages } from './group-usage.ts'

const lookEveryMs = 250
/** Most commands are short: this one is for them. */
const firstLookMs = 25

export interface Looked {
  /** Whose processes are counted; null for a thread, which has none of its own. */
  readonly group: number | null
  look(usage: GroupUsage | undefined): void
}

/** With the timer of their first look. */
const looked = new Map<Looked, NodeJS.Timeout>()
let timer: NodeJS.Timeout | null = null

function lookAtAll(): void {
  const groups = new Set([...looked.keys()].flatMap(({ group }) => group ?? []))
  const usages = groups.size === 0 ? null : groupUsages(groups)
  for (const one of looked.keys()) one.look(one.group === null ? undefined : usages?.get(one.group))
}

export function lookAt(one: Looked): void {
  looked.set(
    one,
    setTimeout(() => one.look(one.group === null ? undefined : firstUsage(one.group)), firstLookMs),
  )
  timer ??= setInterval(lookAtAll, lookEveryMs)
}

/** No timer stays where nothing is looked at. */
export function lookAway(one: Looked): void {
  clearTimeout(looked.get(one))
  looked.delete(one)
  if (looked.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}
