/** Errors that nobody caught while something ran: in a service they would end the process. */

/** A rule that did not hold, as data. */
export interface Broken {
  readonly rule: string
  readonly message: string
  /** The job that it is about, where there is one. */
  readonly job: string | null
}

export const escapeRule = 'no error escapes'

export async function catchEscapes<T>(
  run: () => Promise<T>,
): Promise<{ readonly ended: T; readonly escaped: Broken | null }> {
  let escaped: Broken | null = null
  const escape = (error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    escaped ??= { rule: escapeRule, message, job: null }
  }
  process.on('unhandledRejection', escape)
  process.on('uncaughtException', escape)
  try {
    const ended = await run()
    // A rejection is reported only after the microtasks of its turn.
    await new Promise((resolve) => setImmediate(resolve))
    return { ended, escaped }
  } finally {
    process.off('unhandledRejection', escape)
    process.off('uncaughtException', escape)
  }
}
