/** Process groups of commands: each is ended whole, and none outlives a process that ends by itself. */
import { codeOf } from '../core/unknown-value.ts'
import { killStraysNow } from './strays.ts'

/** By group: the mark of what has left it. */
const living = new Map<number, string>()

function endAll(): void {
  for (const group of living.keys()) signalGroup(group, 'SIGKILL')
  killStraysNow([...living.values()])
}

/** From now on, this process does not exit without it. */
export function watchGroup(group: number, mark: string): void {
  if (living.size === 0) process.once('exit', endAll)
  living.set(group, mark)
}

export function unwatchGroup(group: number): void {
  if (living.delete(group) && living.size === 0) process.off('exit', endAll)
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch (error) {
    const code = codeOf(error)
    // The group is empty; or, on macOS, has only zombies left.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
