/** What needs no telling: runs that went well from beginning to end, and how a range of ticks grew one by one. */
import type { TraceLine } from './excerpt.ts'

/** The last runs that went well are told all the same: they show how it should be. */
const lastTold = 2

const wellLines = [
  / made by \w+(?:, tick \S+)?, pending$/,
  / pending → running by \S+ \(fence 1\), attempt 1$/,
  / commits the effect of execution #/,
  / running → completed, attempt 1$/,
  / taken back or pruned$/,
]

/** A run that `message` names, or whose tick it names, is part of the story however well it went. */
export function routineLines(lines: readonly TraceLine[], message: string): Set<TraceLine> {
  const routine = new Set([...linesOfGoodRuns(lines, message), ...linesOfGrowth(lines)])
  // The cursor moves in the commit that makes a run or a range.
  const moments = new Set([...routine].filter(({ line }) => isAccount(line)).map(({ atMs }) => atMs))
  for (const line of lines)
    if (moments.has(line.atMs) && / cursor \S+ → \S+$/.test(line.line)) routine.add(line)
  return routine
}

export function isMade(line: string): boolean {
  return line.includes(' made by ')
}

function isAccount(line: string): boolean {
  return isMade(line) || line.includes(' × ')
}

function linesOfGoodRuns(lines: readonly TraceLine[], message: string): TraceLine[] {
  const byRun = new Map<string, TraceLine[]>()
  for (const line of lines) {
    const [id] = idsIn(line.line)
    if (id !== undefined) byRun.set(id, [...(byRun.get(id) ?? []), line])
  }
  const good = [...byRun].filter(([id, own]) => wentWell(own) && !isNamed(id, own, message))
  return good.slice(0, -lastTold).flatMap(([, own]) => own)
}

/** Of a range that grew, all but how it began and what it came to. */
function linesOfGrowth(lines: readonly TraceLine[]): TraceLine[] {
  const byRange = new Map<string, TraceLine[]>()
  for (const line of lines) {
    // The job; what became of its ticks; since when.
    const [, ...parts] = / (\S+), \d+ × (\w+ \(\w+\) [\d:.]+)/.exec(line.line) ?? []
    const key = parts.join(' ')
    if (key !== '') byRange.set(key, [...(byRange.get(key) ?? []), line])
  }
  return [...byRange.values()].flatMap((own) => own.slice(1, -1))
}

export function idsIn(line: string): string[] {
  return line.match(/#[0-9a-z]{6}\b/g) ?? []
}

function wentWell(own: readonly TraceLine[]): boolean {
  return (
    own.every(({ line }) => wellLines.some((pattern) => pattern.test(line))) &&
    own.some(({ line }) => / running → completed,/.test(line))
  )
}

function isNamed(id: string, own: readonly TraceLine[], message: string): boolean {
  const tick = own.map(({ line }) => /, tick (\S+),/.exec(line)?.[1]).find((found) => found !== undefined)
  return message.includes(id.slice(1)) || (tick !== undefined && message.includes(tick))
}
