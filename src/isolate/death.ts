/** How a child died before its handler had ended, as the error of that attempt: what happened, and the next step. */
import { EvertickError } from '../core/error.ts'
import { errorFrom, OutcomeSignal } from '../engine/worker/outcome-signal.ts'
import type { IsolateMode } from './transport.ts'

export interface Death {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** An error that nobody caught. */
  readonly uncaught: { readonly name: string; readonly message: string } | null
  readonly outOfMemory: boolean
}

export function crashSignal(job: string, mode: IsolateMode, death: Death): OutcomeSignal {
  const error = new EvertickError('handler_crashed', `The ${mode} of ${job} ${how(death)}`)
  // Where it was thrown says nothing about the handler.
  const { stack: _, ...kept } = errorFrom(error)
  return new OutcomeSignal(error.message, { kind: 'crash', error: kept })
}

function how({ exitCode, signal, uncaught, outOfMemory }: Death): string {
  if (outOfMemory) return 'ran out of memory. Hold less at once, or raise its limit: quota.memory.'
  if (uncaught !== null) {
    return `died of an error that nobody caught: ${uncaught.name}: ${uncaught.message}. Await every promise in the handler.`
  }
  if (signal !== null) {
    return `was ended by ${signal}. Look into the log of this execution for its last words, and into native modules that it loads.`
  }
  return `ended with exit code ${exitCode}. Return from the handler, or throw, instead of process.exit.`
}
