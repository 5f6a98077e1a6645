/** How a child is started and reached, be it a thread or a process. */
import type { Seen } from '../handlers/usage-meter.ts'
import type { ToChild, ToNode } from './border.ts'
import type { Death } from './death.ts'

export const isolateModes = ['thread', 'process'] as const
export type IsolateMode = (typeof isolateModes)[number]

/** What a child is started for; one that was started for the same can do the run. */
export interface ChildOptions {
  readonly mode: IsolateMode
  readonly module: string
  /** Of its heap, in bytes; null: as large as Node makes it. */
  readonly memory: number | null
  /** Of a process. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Whoever uses it at the moment hears of it. */
export interface ChildListener {
  message(message: ToNode): void
  output(stream: 'stdout' | 'stderr', bytes: Buffer): void
  died(death: Death): void
}

/** How a child is reached, whatever it is. */
export interface Transport {
  readonly pid: number | null
  /** Of a thread, which nobody can look at from outside: what it has used so far; null where it does not say. */
  readonly ask?: () => Promise<Seen | null>
  post(message: ToChild): void
  /** With all that it has started. `died` is heard afterwards. */
  kill(): void
}

/** The file that a child begins with. */
export function childFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url)
}
