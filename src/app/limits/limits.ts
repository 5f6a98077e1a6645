/** `evertick.limits`: limits that the cluster shares, by name. Jobs name them in their `limits`. */
import { createHash } from 'node:crypto'
import { EvertickError } from '../../core/error.ts'
import { type LimitOptions, limitName, limitNumbers, limitOptions } from '../../core/job/limit-form.ts'
import type { LimitRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { refuseUnknown } from '../config/call-options.ts'

export interface LimitView extends LimitOptions {
  readonly name: string
  /** Null where a job names it, and nobody has set it: then it bounds nothing. */
  readonly changedAt: Date | null
  readonly changedBy: string | null
  /** Executions that have a share of it now, and that wait for one. */
  readonly running: number
  readonly waiting: number
  /** The jobs that name it. */
  readonly jobs: readonly string[]
}

export class Limits {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** By name. */
  async list(): Promise<LimitView[]> {
    return (await this.#app.store.limits.listLimits()).map(viewOf)
  }

  /** A new limit, or new numbers: they hold from the next claim on, and stop nothing that runs. */
  async set(name: string, { concurrency, rate, ...by }: LimitOptions & ActorOptions): Promise<LimitView> {
    refuseUnknown(by, ['actor', 'origin'], 'limits.set')
    refuseLimitName(name)
    const given = {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(rate === undefined ? {} : { rate }),
    }
    const numbers = limitNumbers(given, 'limit')
    const set = await this.#app.store.limits.setLimit(name, numbers, changeContext(this.#app, by))
    this.#app.enqueued()
    return viewOf(set)
  }

  /** Jobs that name it go on without a bound. */
  async delete(name: string, by: ActorOptions = {}): Promise<void> {
    refuseUnknown(by, ['actor', 'origin'], 'limits.delete')
    refuseLimitName(name)
    const deleted = await this.#app.store.limits.deleteLimit(name, changeContext(this.#app, by))
    if (!deleted)
      throw new EvertickError('limit_not_found', `There is no limit named "${name}".`, {
        next: 'List the limits with `evertick limits list`.',
      })
    this.#app.enqueued()
  }
}

function viewOf({ changedAt, concurrency, rate, ...limit }: LimitRow): LimitView {
  const at = changedAt === null ? null : new Date(changedAt)
  return { ...limit, ...limitOptions({ concurrency, rate }), changedAt: at }
}

function refuseLimitName(name: unknown): void {
  if (typeof name === 'string' && limitName.test(name)) return
  throw new EvertickError('invalid_option', `${JSON.stringify(name)} is not a valid name of a limit.`, {
    field: 'name',
    next: 'Use 1 to 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.',
  })
}

/** The limits of a configuration; throws where one has a bad name or no number. */
export function limitsOf(given: Readonly<Record<string, LimitOptions>>): ReadonlyMap<string, LimitOptions> {
  for (const [name, options] of Object.entries(given)) {
    refuseLimitName(name)
    limitNumbers(options, `limits.${name}`)
  }
  return new Map(Object.entries(given))
}

/** At start. What somebody has set since stays, until the code says something else. */
export async function applyLimits(app: AppContext, limits: ReadonlyMap<string, LimitOptions>): Promise<void> {
  if (limits.size === 0) return
  const written = [...limits].map(([name, options]) => {
    const numbers = limitNumbers(options, `limits.${name}`)
    const hash = createHash('sha256').update(JSON.stringify(numbers)).digest('hex')
    return { name, hash, ...numbers }
  })
  await app.store.limits.writeCodeLimits(written, changeContext(app, { actor: 'code' }))
}
