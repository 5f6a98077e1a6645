/** The result of one check. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly next?: string
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message }
}

export function warn(name: string, message: string, next: string): Check {
  return { name, status: 'warn', message, next }
}

export function fail(name: string, message: string, next: string): Check {
  return { name, status: 'fail', message, next }
}
