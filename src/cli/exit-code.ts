/** The documented exit codes. */
import { CommanderError } from 'commander'
import type { StopSignal } from '../app/cluster/stop-signals.ts'
import { type ErrorKind, EvertickError } from '../core/error.ts'

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  not_found: 3,
  conflict: 4,
  auth: 5,
  unavailable: 6,
  problems: 7,
} as const satisfies Record<'ok' | 'problems' | ErrorKind, number>

export const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<StopSignal, number>

export function exitCodeOf(error: unknown): number {
  if (error instanceof EvertickError) return exitCodes[error.kind]
  // Commander's own: unknown command or option, missing argument.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  return exitCodes.failed
}
