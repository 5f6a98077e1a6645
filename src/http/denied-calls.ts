/**
 * Refused calls, for the audit log: summed by caller, route and code, and written once a minute, so that a thousand
 * attempts leave one line. No request waits for it.
 */
import type { AppContext } from '../app/app-context.ts'
import type { ErrorCode } from '../core/error.ts'
import type { Logger } from '../engine/logger.ts'

export interface DeniedCall {
  /** null if the caller is not authenticated. */
  readonly actor: string | null
  readonly origin: string
  /** `POST /api/v1/jobs`, or one name for all unknown routes. */
  readonly route: string
  readonly code: ErrorCode
  readonly why: string
}

interface Sum extends DeniedCall {
  calls: number
  readonly firstAt: number
  lastAt: number
}

const everyMs = 60_000
/** The lines of one minute; further calls share one. */
const mostSums = 50

export class DeniedCalls {
  readonly #app: AppContext
  readonly #logger: Logger
  #sums = new Map<string, Sum>()
  #cancel: (() => void) | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(app: AppContext, logger: Logger) {
    this.#app = app
    this.#logger = logger
  }

  note(call: DeniedCall): void {
    const at = this.#app.clock.now()
    this.#add({ ...call, calls: 1, firstAt: at, lastAt: at })
    this.#cancel ??= this.#app.clock.timer(everyMs, () => {
      this.#cancel = null
      void this.flush()
    })
  }

  /** Never throws: what cannot be written now is written with the next lines. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  async close(): Promise<void> {
    this.#cancel?.()
    this.#cancel = null
    await this.flush()
  }

  #add(sum: Sum): void {
    const key = JSON.stringify([sum.actor ?? sum.origin, sum.route, sum.code])
    const known = this.#sums.get(key)
    if (known !== undefined) {
      known.calls += sum.calls
      known.lastAt = Math.max(known.lastAt, sum.lastAt)
    } else if (this.#sums.size < mostSums || sum.route === '(others)') {
      this.#sums.set(key, sum)
    } else {
      const others = { actor: null, origin: '(others)', route: '(others)', why: 'too many to list' }
      this.#add({ ...sum, ...others })
    }
  }

  async #write(): Promise<void> {
    const sums = this.#sums
    if (sums.size === 0) return
    this.#sums = new Map()
    try {
      await this.#app.store.audit.appendAuditLog([...sums.values()].map(entryOf))
    } catch (error) {
      this.#logger.warn('Could not write the denied calls to the audit log', { error })
      for (const sum of sums.values()) this.#add(sum)
    }
  }
}

function entryOf({ actor, origin, route, code, why, calls, firstAt, lastAt }: Sum) {
  return {
    at: lastAt,
    actor: actor ?? 'anonymous',
    origin,
    action: 'api.denied',
    subject: route,
    before: null,
    after: { code, why, calls, since: new Date(firstAt) },
  }
}
