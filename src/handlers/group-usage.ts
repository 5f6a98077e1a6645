/** What process groups use, as Linux shows it in /proc. One look is for all of them: it reads a line of every process. */
import { readdirSync, readFileSync } from 'node:fs'

export interface GroupUsage {
  readonly processes: number
  /** Pages that processes share count for each of them. */
  readonly memory: number
  readonly cpuMs: number
}

/** The unit of times in /proc, on every Linux. */
const tickMs = 10

export const hasGroupUsage = process.platform === 'linux'

export function groupUsages(groups: ReadonlySet<number>): ReadonlyMap<number, GroupUsage> {
  const usages = new Map<number, GroupUsage>()
  for (const pid of readdirSync('/proc')) {
    const stat = /^\d+$/.test(pid) ? processStat(pid) : null
    if (stat === null || !groups.has(stat.group)) continue
    const { processes, memory, cpuMs } = usages.get(stat.group) ?? { processes: 0, memory: 0, cpuMs: 0 }
    usages.set(stat.group, {
      processes: processes + 1,
      memory: memory + residentBytes(pid),
      cpuMs: cpuMs + stat.cpuMs,
    })
  }
  return usages
}

/** Null where it has ended meanwhile. Its own time, and that of its children that have ended. */
function processStat(pid: string): { readonly group: number; readonly cpuMs: number } | null {
  const text = read(`/proc/${pid}/stat`)
  // Its name, in brackets, may have anything in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 15) return null
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { group: Number(fields[2]), cpuMs: ticks * tickMs }
}

function residentBytes(pid: string): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1_024
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
