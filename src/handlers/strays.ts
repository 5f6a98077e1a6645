/**
 * What a command has started and what has left its process group (`setsid`, a daemon). Where the system shows the
 * environment of a process, as Linux does, each is found by a mark that it has inherited.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The variable of the mark. No job may set it: it is one of ours. */
export const markVariable = 'EVERTICK_RUN'

/** What is killed may have started another meanwhile; what still does so after this many looks, no look ends. */
const mostLooks = 5

/** Returns how many there were. */
export async function signalStrays(mark: string, signal: NodeJS.Signals): Promise<number> {
  let count = 0
  for (const pid of listedProcesses()) {
    const environment = await readFile(`/proc/${pid}/environ`).catch(() => none)
    if (hasMark(environment, mark) && signalProcess(pid, signal)) count += 1
  }
  return count
}

export async function killStrays(mark: string): Promise<void> {
  for (let look = 0; look < mostLooks; look += 1) {
    if ((await signalStrays(mark, 'SIGKILL')) === 0) return
  }
}

/** For a process that exits, and can wait for nothing. */
export function killStraysNow(marks: readonly string[]): void {
  for (const pid of listedProcesses()) {
    const environment = environmentNow(pid)
    if (marks.some((mark) => hasMark(environment, mark))) signalProcess(pid, 'SIGKILL')
  }
}

const none = Buffer.alloc(0)

/** Empty where the system has no /proc. */
function listedProcesses(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

/** Another user's is not shown, and that of one that has ended is empty. */
function environmentNow(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return none
  }
}

function hasMark(environment: Buffer, mark: string): boolean {
  return environment.includes(`${markVariable}=${mark}\0`)
}

function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // It has ended, or its id now belongs to another user's process.
    return false
  }
}
