/** How an engine spells the portable steps of a script, and what its driver's errors mean. */
import { type ErrorCode, EvertickError } from '../../../core/error.ts'
import type { Step } from './script.ts'

export interface Spelled {
  readonly text: string
  readonly params: readonly unknown[]
}

export interface Dialect {
  /** One statement for nearly every step; none where a step has nothing to do here. */
  spell(step: Step): readonly Spelled[]
  /** A tagged template with the engine's own marks between its strings. */
  template(strings: readonly string[]): string
}

/** Unfinished and finished executions have names of their own, also where one table holds both. */
export function inOneTable(name: string): string {
  return name === 'live_executions' || name === 'finished_executions' ? 'job_executions' : name
}

/**
 * `conflict`: another transaction was first, and the same script may be run again; `lost`: the connection is gone, and
 * what was under way may or may not have happened; `other`: the statement itself was refused.
 */
export type Trouble = 'conflict' | 'lost' | 'other'

/** One of our codes, and its words. */
export interface Meaning {
  readonly code: ErrorCode
  /** Follows "The database …". */
  readonly says: string
  readonly next: string
}

/** The same error, with our code and words where its class is known. */
export function withMeaning(error: unknown, meaning: Meaning | null, where: string): Error {
  if (meaning === null) return asError(error)
  const { code, says, next } = meaning
  return new EvertickError(code, `The database ${where} ${says}.`, { next, cause: error })
}

/** The properties of whatever a driver throws or a caller hands over. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error })
}
