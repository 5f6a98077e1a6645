/** What is not known to be anything, looked into without a cast: answers, thrown errors, kept JSON. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The code of an error that Node or a driver has thrown, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Anything can be thrown; most of it has a message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
