/**
 * Where hints come from: the events of this node, at once, and for what other nodes do a look at the database, when they
 * hint at something or a second has passed. It runs only while somebody listens.
 */

import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { EventName, ExecutionEvent } from '../../engine/events.ts'
import type { Logger } from '../../engine/logger.ts'
import { Alarm, Service } from '../../engine/service.ts'
import type { AppContext } from '../app-context.ts'
import { ExecutionWatch } from './execution-watch.ts'
import type { Hint } from './hint.ts'
import { JobWatch } from './job-watch.ts'

const lookEveryMs = 1_000
/** The shortest pause between two looks, however many hints arrive. */
const restMs = 100

/** What an event of this node says of its execution. */
const states = [
  ['execution:started', 'running'],
  ['execution:progress', 'running'],
  ['execution:completed', 'completed'],
  ['execution:failed', 'failed'],
  ['execution:cancelled', 'cancelled'],
] as const satisfies readonly (readonly [EventName, ExecutionState])[]

/** After these events the database has changes. */
const worthALook = [
  'tick:accounted',
  'execution:refused',
  'job:created',
  'job:updated',
  'job:paused',
  'job:resumed',
  'job:deleted',
  'leader:elected',
  'leader:lost',
] as const satisfies readonly EventName[]

export class ChangeFeed extends Service {
  readonly #app: AppContext
  readonly #logger: Logger
  readonly #tell: (hint: Hint) => void
  readonly #alarm: Alarm
  /** Never rung: it only waits. */
  readonly #pause: Alarm
  readonly #executions = new ExecutionWatch()
  readonly #jobs = new JobWatch()
  #leader: string | null = null

  constructor(app: AppContext, logger: Logger, tell: (hint: Hint) => void) {
    super()
    this.#app = app
    this.#logger = logger
    this.#tell = tell
    this.#alarm = new Alarm(app.clock)
    this.#pause = new Alarm(app.clock)
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const unsubscribers = [...this.#listen(), this.#app.store.listen(() => this.#alarm.ring())]
    while (!signal.aborted) {
      try {
        await this.#look()
      } catch (error) {
        this.#logger.warn('Could not read changes; trying again', { error })
      }
      await this.#pause.wait(restMs, signal)
      await this.#alarm.wait(lookEveryMs - restMs, signal)
    }
    for (const unsubscribe of unsubscribers) unsubscribe()
  }

  async #look(): Promise<void> {
    const { store } = this.#app
    for (const hint of await this.#executions.look(store)) this.#tell(hint)
    for (const hint of await this.#jobs.look(store)) this.#tell(hint)
    const leader = await store.cluster.currentLeader()
    const look = leader === null ? '' : `${leader.termId}:${leader.holder}`
    if (this.#leader !== null && this.#leader !== look) {
      this.#tell({ type: 'leader', termId: leader?.termId ?? null, instance: leader?.holder ?? null })
    }
    this.#leader = look
  }

  #listen(): (() => void)[] {
    const { events } = this.#app
    return [
      ...states.map(([name, state]) => events.on(name, (event) => this.#execution(event, state))),
      events.on('execution:retrying', (event) => this.#execution(event, event.state)),
      // Its progress is not told: the next look must not take it for a change.
      events.on('execution:step', ({ executionId: id, job }) =>
        this.#tell({ type: 'execution', id, job, state: 'running' }),
      ),
      ...worthALook.map((name) => events.on(name, () => this.#alarm.ring())),
      events.on('lease:expired', ({ executionId, job }) => {
        this.#tell({ type: 'lease', id: executionId, job })
        this.#alarm.ring()
      }),
    ]
  }

  #execution(event: ExecutionEvent & { readonly progress?: number }, state: ExecutionState): void {
    const { executionId: id, job, attempt, progress } = event
    this.#executions.note(id, state, attempt, progress ?? null)
    this.#tell({ type: 'execution', id, job, state })
  }
}
