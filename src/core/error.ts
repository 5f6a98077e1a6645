/**
 * Every error that Evertick raises on purpose has a code from this one table. `docs/reference/errors.md` mirrors it
 * (a test compares the two), and the CLI derives its exit code from `kind`.
 */

/** What sort of trouble it is; the CLI's exit code and the HTTP status follow from it. */
export type ErrorKind = 'usage' | 'not_found' | 'conflict' | 'auth' | 'unavailable' | 'failed'

export const errorKinds = {
  invalid_cron: 'usage',
  invalid_timezone: 'usage',
  invalid_duration: 'usage',
  invalid_instant: 'usage',
  invalid_schedule: 'usage',
  invalid_definition: 'usage',
  invalid_config: 'usage',
  invalid_option: 'usage',
  invalid_input: 'usage',
  invalid_payload: 'usage',
  invalid_result: 'failed',
  invalid_transition: 'conflict',
  job_not_found: 'not_found',
  execution_not_found: 'not_found',
  lock_not_found: 'not_found',
  webhook_not_found: 'not_found',
  check_in_not_found: 'not_found',
  alert_not_found: 'not_found',
  alert_rule_not_found: 'not_found',
  job_exists: 'conflict',
  webhook_exists: 'conflict',
  file_exists: 'conflict',
  file_not_found: 'not_found',
  table_not_found: 'not_found',
  job_busy: 'conflict',
  managed_elsewhere: 'conflict',
  stale_lease: 'conflict',
  lock_held: 'conflict',
  lock_lost: 'conflict',
  state_file_busy: 'conflict',
  transaction_used: 'conflict',
  transaction_timeout: 'failed',
  nested_write: 'failed',
  execution_failed: 'failed',
  handler_crashed: 'failed',
  quota_exceeded: 'failed',
  timeout: 'failed',
  unauthenticated: 'auth',
  forbidden: 'auth',
  provider_unavailable: 'unavailable',
  weak_secret: 'usage',
  secret_unreadable: 'unavailable',
  secret_missing: 'not_found',
  secret_in_use: 'conflict',
  token_not_found: 'not_found',
  route_not_found: 'not_found',
  method_not_allowed: 'usage',
  unsupported_media_type: 'usage',
  payload_too_large: 'usage',
  changed_meanwhile: 'conflict',
  matches_changed: 'conflict',
  key_reused: 'conflict',
  key_under_way: 'conflict',
  rate_limited: 'unavailable',
  not_running: 'conflict',
  database_missing: 'unavailable',
  database_busy: 'unavailable',
  database_damaged: 'unavailable',
  database_foreign: 'unavailable',
  database_full: 'unavailable',
  database_replaced: 'unavailable',
  database_closed: 'unavailable',
  database_in_use: 'conflict',
  database_moved: 'unavailable',
  backup_damaged: 'failed',
  backup_newer: 'unavailable',
  database_unavailable: 'unavailable',
  unsupported_database: 'usage',
  driver_missing: 'unavailable',
  redis_unavailable: 'unavailable',
  outbound_refused: 'usage',
  outbound_failed: 'unavailable',
  smtp_missing: 'unavailable',
  invalid_answer: 'failed',
  server_unavailable: 'unavailable',
  internal: 'failed',
  schema_missing: 'unavailable',
  schema_newer: 'unavailable',
  state_file_newer: 'unavailable',
  migration_failed: 'failed',
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorKinds

export interface ErrorDetails {
  /** The option, field or argument that is wrong, as the user wrote its name. */
  readonly field?: string
  /** What to do next, as one sentence. */
  readonly next?: string
  /** Of a refused action: the state that the thing is in, the state that was asked for, and what is legal now. */
  readonly transition?: RefusedTransition
  readonly cause?: unknown
}

export interface RefusedTransition {
  readonly state: string
  readonly asked: string
  readonly actions: readonly string[]
}

/** An error with a stable code, the field it is about and the next step to take. */
export class EvertickError extends Error {
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly field: string | undefined
  readonly next: string | undefined
  readonly transition: RefusedTransition | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'EvertickError'
    this.code = code
    this.kind = errorKinds[code]
    this.field = details.field
    this.next = details.next
    this.transition = details.transition
  }
}
