/** What a handler returns or throws to end otherwise than done or failed. */
import { keptError } from '../../core/attempt/kept-error.ts'
import type { HandlerOutcome } from '../../core/attempt/outcome.ts'
import type { ExecutionError } from '../../core/execution/execution.ts'
import { withoutSecretShapes } from '../../core/job/secret-text.ts'
import { type Redact, withoutSecretsIn } from '../../core/job/secret-values.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'

/** An error only so that it can be thrown: it is never a failure by itself. */
export class OutcomeSignal extends Error {
  readonly outcome: HandlerOutcome

  constructor(message: string, outcome: HandlerOutcome) {
    super(message)
    this.name = 'OutcomeSignal'
    this.outcome = outcome
  }
}

/** Ends of an attempt that a handler may return or throw. */
export const outcome = {
  /** Try again after this long; counts as an attempt. */
  retry(after?: Duration, why = 'the handler asked for another try'): OutcomeSignal {
    const afterMs = after === undefined ? null : parseDuration(after, 'after')
    return new OutcomeSignal(why, {
      kind: 'retry',
      afterMs,
      error: { name: 'Retry', message: printable(why) },
    })
  },
  /** Not now: come again after this long; does not count as an attempt. */
  snooze(after: Duration): OutcomeSignal {
    return new OutcomeSignal('snoozed', { kind: 'snooze', afterMs: parseDuration(after, 'after') })
  },
  /** There is nothing to do any more. */
  cancel(why?: string): OutcomeSignal {
    const note = why === undefined ? null : printable(why)
    return new OutcomeSignal(note ?? 'cancelled', { kind: 'cancel', reason: 'handler', note })
  },
  /** No further attempt would help. */
  fail(why: string): OutcomeSignal {
    return new OutcomeSignal(why, { kind: 'fail', error: { name: 'Failed', message: printable(why) } })
  },
}

/** No further attempt would help. */
export function failedBy(thrown: unknown): OutcomeSignal {
  const error = errorFrom(thrown)
  return new OutcomeSignal(error.message, { kind: 'fail', error })
}

/** Whatever was thrown, as it is stored: also null, text, or an error with a broken getter. */
export function errorFrom(thrown: unknown, redact: Redact = (text) => text): ExecutionError {
  try {
    return keptError(withoutSecretsIn(readError(thrown), redact))
  } catch {
    return { name: 'Error', message: 'unprintable' }
  }
}

function readError(thrown: unknown): ExecutionError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: printable(thrown) }
  const { code } = thrown as { code?: unknown }
  return {
    name: printable(thrown.name),
    message: printable(thrown.message),
    ...(typeof thrown.stack === 'string' ? { stack: withoutSecretShapes(thrown.stack) } : {}),
    ...(typeof code === 'string' ? { code } : {}),
  }
}

/** Whatever a handler without types hands over as text. Secrets go before anybody cuts it: half of one has no shape. */
export function printable(value: unknown): string {
  try {
    return withoutSecretShapes(
      typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value),
    )
  } catch {
    return 'unprintable'
  }
}
