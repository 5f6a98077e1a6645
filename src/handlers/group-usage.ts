/** What process groups use, as Linux shows it in /proc. One look is for all of them: it reads a line of every process. */
import { readdirSync, readFileSync } from 'node:fs'

export interface GroupUsage {
  readonly processes: number
  /** Pages that processes share count for each of them. */
  readonly memory: number
  readonly cpuMs: number
  /** The most that each of its processes ever had, by its id: the kernel keeps it, so that no look misses it. */
  readonly peaks: ReadonlyMap<number, number>
}

/** The unit of times in /proc, on every Linux. */
const tickMs = 10

export const hasGroupUsage = process.platform === 'linux'

export function groupUsages(groups: ReadonlySet<number>): ReadonlyMap<number, GroupUsage> {
  const usages = new Map<number, GroupUsage>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? processStat(pid) : null
    if (stat === null || !groups.has(stat.group)) continue
    const one = usageOf(pid, stat)
    const others = usages.get(stat.group)
    usages.set(stat.group, others === undefined ? one : together(others, one))
  }
  return usages
}

/** Of the group's first process alone, which is read at once; undefined where it is gone. */
export function firstUsage(group: number): GroupUsage | undefined {
  const stat = processStat(group)
  return stat?.group === group ? usageOf(group, stat) : undefined
}

interface ProcessStat {
  readonly group: number
  readonly cpuMs: number
}

/** Null where it has ended meanwhile. Its own time, and that of its children that have ended. */
function processStat(pid: number): ProcessStat | null {
  const text = read(`/proc/${pid}/stat`)
  // Its name, in brackets, may have anything in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 15) return null
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { group: Number(fields[2]), cpuMs: ticks * tickMs }
}

function usageOf(pid: number, { cpuMs }: ProcessStat): GroupUsage {
  const status = read(`/proc/${pid}/status`)
  const bytes = (line: RegExp) => Number(line.exec(status)?.[1] ?? 0) * 1_024
  const peaks = new Map([[pid, bytes(/^VmHWM:\s+(\d+) kB/m)]])
  return { processes: 1, memory: bytes(/^VmRSS:\s+(\d+) kB/m), cpuMs, peaks }
}

function together(some: GroupUsage, more: GroupUsage): GroupUsage {
  return {
    processes: some.processes + more.processes,
    memory: some.memory + more.memory,
    cpuMs: some.cpuMs + more.cpuMs,
    peaks: new Map([...some.peaks, ...more.peaks]),
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
