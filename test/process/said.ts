/** The child's side: its configuration, and one line of JSON for everything that its test should know. */
import { writeSync } from 'node:fs'
import { codeOf } from '../../src/core/unknown-value.ts'
import type { Evertick, Logger } from '../../src/index.ts'

export function configured(): unknown {
  return JSON.parse(process.argv[2] ?? '{}')
}

/** Synchronous: what was said before a crash has been said. */
export function say(what: string, details: object = {}): void {
  let left = Buffer.from(`${JSON.stringify({ say: what, ...details })}\n`)
  while (left.length > 0) left = left.subarray(written(left))
}

/** Where the pipe is full, because its reader is behind on a busy machine, it is tried again. */
function written(bytes: Buffer): number {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return 0
    throw error
  }
}

/** So that standard error stays empty, and whatever appears there is a fault. */
export const sayingLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (message, details) => say('warning', { message, why: why(details) }),
  error: (message, details) => say('error', { message, why: why(details) }),
}

export function sayEvents(evertick: Evertick): void {
  evertick.on('leader:elected', ({ termId }) => say('elected', { termId }))
  evertick.on('leader:lost', ({ termId }) => say('lost', { termId }))
  evertick.on('execution:refused', ({ executionId, attempt }) => say('refused', { executionId, attempt }))
}

function why(details: object | undefined): string {
  const { error } = (details ?? {}) as { error?: { code?: string; message?: string } }
  return error === undefined ? '' : `${error.code ?? ''} ${error.message ?? ''}`.trim()
}
