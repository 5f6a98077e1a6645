/** Of everything that happened, what belongs to the story: who led, what befell whom, and what became of the subject. */
import { idsIn, isMade, routineLines } from './routine.ts'

export interface TraceLine {
  readonly atMs: number
  readonly line: string
}

/** What was left out between two lines. */
export interface Gap {
  /** Runs that went well. */
  readonly runs: number
  /** Other lines. */
  readonly more: number
}

/** What a rule that broke is about: a job or a node, by the name that it has in the trace. */
export type Subject = string | null

type Kind = 'break' | 'step' | 'life' | 'lead' | 'fault' | 'own' | 'rest'

interface Told extends TraceLine {
  readonly kind: Kind
  readonly routine: boolean
}

const mostLines = 60
/** Of those, the last before the break, whatever they are about. */
const lastLines = 30

/** `message` says what broke. */
export function excerptOf(
  trace: readonly TraceLine[],
  subject: Subject,
  message: string,
): (TraceLine | Gap)[] {
  const lines = kept(trace, subject)
  const routine = routineLines(lines, message)
  return cut(folded(lines.map((line) => ({ ...line, routine: routine.has(line) }))))
}

function kept(trace: readonly TraceLine[], subject: Subject): Told[] {
  const ownIds = new Set<string>()
  return trace.flatMap(({ atMs, line }): Told[] => {
    const own =
      subject !== null && (words(line).includes(subject) || idsIn(line).some((id) => ownIds.has(id)))
    if (own) for (const id of idsIn(line)) ownIds.add(id)
    const kind = kindOf(line, own)
    return kind === 'rest' || kind === 'break' ? [] : [{ atMs, line, kind, routine: false }]
  })
}

function kindOf(line: string, own: boolean): Kind {
  if (line.startsWith('✗')) return 'break'
  if (line.startsWith('— ')) return toldByNode.test(line) ? 'rest' : 'step'
  if (/^\S+ (starts|is killed|freezes|wakes|is asked to stop|has stopped|could not start)\b/.test(line))
    return 'life'
  if (/\b(takes|gives up) the lead\b|has handled what was missed/.test(line)) return 'lead'
  if (faultIn(line) !== null) return 'fault'
  return own ? 'own' : 'rest'
}

/** Of steps whose effect is told in a line of its own, only that line: the node may not even have been there. */
const toldByNode = /^— \S+ is to (be killed|stop|freeze)\b/

/** An outage is told once for each node that it hits, and not by every call that fails. */
function folded(lines: readonly Told[]): Told[] {
  const told: Told[] = []
  const open = new Map<string, { index: number; calls: number }>()
  for (const line of lines) {
    const fault = line.kind === 'fault' ? faultIn(line.line) : null
    if (fault === null) {
      // Anything else that happens, but for an outage elsewhere, ends it: its place in time matters.
      open.clear()
      told.push(line)
      continue
    }
    const key = `${fault.node}:${fault.fate}`
    const known = open.get(key)
    if (known === undefined) {
      open.set(key, { index: told.push(line) - 1, calls: 1 })
      continue
    }
    known.calls += 1
    const first = told[known.index]
    const { node, fate } = fault
    if (first !== undefined)
      told[known.index] = { ...first, line: `${node} calls the store ${known.calls} times: ${fate}` }
  }
  return told
}

function faultIn(line: string): { node: string; fate: string } | null {
  const [, node, fate] = /^(\S+) calls \w+: (.+)$/.exec(line) ?? []
  return node === undefined || fate === undefined ? null : { node, fate }
}

/** The last lines; then who led and what befell whom; then the rest, the nearest to the break first. */
function cut(lines: readonly Told[]): (TraceLine | Gap)[] {
  const eventful = lines.filter(({ routine }) => !routine)
  const rank = ({ kind }: Told, index: number) => {
    if (index >= eventful.length - lastLines) return 0
    return kind === 'own' || kind === 'fault' ? 2 : 1
  }
  const chosen = new Set(
    eventful
      .map((line, index) => ({ line, index, rank: rank(line, index) }))
      .sort((a, b) => a.rank - b.rank || b.index - a.index)
      .slice(0, mostLines)
      .map(({ line }) => line),
  )
  const shown: (TraceLine | Gap)[] = []
  let left: Told[] = []
  for (const line of lines) {
    if (!chosen.has(line)) {
      left.push(line)
      continue
    }
    if (left.length > 0) shown.push(gapOf(left))
    left = []
    shown.push({ atMs: line.atMs, line: line.line })
  }
  return left.length > 0 ? [...shown, gapOf(left)] : shown
}

/** A run counts where it begins. */
function gapOf(left: readonly Told[]): Gap {
  const [routine, others] = [left.filter((line) => line.routine), left.filter((line) => !line.routine)]
  return { runs: routine.filter(({ line }) => isMade(line)).length, more: others.length }
}

function words(line: string): string[] {
  return line.match(/[\w.-]*\w/g) ?? []
}
