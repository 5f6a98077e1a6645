/** Who leases by hand, and what each has claimed. */
import type { AppContext } from '../../app/app-context.ts'
import { registerHolder } from '../../app/execution/register-holder.ts'
import type { Claim } from '../../store/store.ts'

/** Far less than the minute after which others remove a worker that is silent. */
const freshMs = 10_000

interface Registration {
  readonly seenAt: number
  readonly leaseMs: number
}

export class LeaseHolders {
  readonly #handler: string
  readonly #registered = new Map<string, Promise<Registration>>()
  /** By job and worker: what the last claim said. */
  readonly #claims = new Map<string, Claim>()

  constructor(handler: string) {
    this.#handler = handler
  }

  get any(): boolean {
    return this.#registered.size > 0
  }

  /** Before a claim or an extension of a lease of this length. */
  async register(app: AppContext, workerId: string, leaseMs: number): Promise<void> {
    const before = this.#registered.get(workerId) ?? Promise.resolve({ seenAt: 0, leaseMs: 0 })
    const registered = before.then((known) => this.#refresh(app, workerId, leaseMs, known))
    this.#registered.set(workerId, registered)
    try {
      await registered
    } catch (error) {
      this.#registered.delete(workerId)
      throw error
    }
  }

  hold(workerId: string, { id, fence }: Claim): void {
    this.#claims.set(keyOf(id, workerId), { id, fence })
  }

  /** What this process has claimed as that worker; null where another process did. */
  held(workerId: string, jobId: string): Claim | null {
    return this.#claims.get(keyOf(jobId, workerId)) ?? null
  }

  letGo(workerId: string, jobId: string): void {
    this.#claims.delete(keyOf(jobId, workerId))
  }

  /** Signs off the workers that hold nothing. Any node removes the others once their leases have ended. */
  async signOff({ store }: AppContext): Promise<void> {
    for (const [workerId, registered] of this.#registered) {
      const isOurs = (await registered).leaseMs > 0
      const holds = [...this.#claims.keys()].some((key) => key.startsWith(keyOf('', workerId)))
      if (isOurs && !holds) await store.cluster.removeNode(workerId)
    }
    this.#registered.clear()
  }

  async #refresh(app: AppContext, id: string, leaseMs: number, known: Registration): Promise<Registration> {
    const now = app.clock.now()
    if (known.leaseMs >= leaseMs && known.seenAt > now - freshMs) return known
    const longest = Math.max(leaseMs, known.leaseMs)
    const registered = await registerHolder(app, { id, handlers: [this.#handler], leaseMs: longest })
    return registered === null ? known : { seenAt: now, leaseMs: registered }
  }
}

function keyOf(jobId: string, workerId: string): string {
  return `${workerId}\0${jobId}`
}
