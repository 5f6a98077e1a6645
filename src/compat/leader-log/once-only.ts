/**
 * Puts each task into the user's queue once, by a mark `taskId:scheduleTime`: claimed before, finished after. Where the
 * leader dies in between, its successor takes the mark over and says `repeat`: the task may be in the queue already.
 */
import { refuseBadName } from '../../app/config/call-options.ts'
import { EvertickError } from '../../core/error.ts'
import type { MarkClaim } from '../../store/store.ts'

/** Passed to the function that puts a task into the queue. */
export interface QueueEntry {
  /** `taskId:scheduleTime`, in UTC: give it to a queue that refuses a key which it has seen. */
  readonly key: string
  /** An earlier try did not say how it ended, so the task may be in the queue already. */
  readonly repeat: boolean
  /** Grows with every leader: a queue that can compare refuses a smaller one. */
  readonly fence: number
}

export type EnqueueOutcome = 'enqueued' | 'duplicate' | 'not_leading'

export interface Marks {
  claim(mark: string, fence: number): Promise<MarkClaim>
  finish(mark: string, fence: number): Promise<boolean>
  /** Clears away what has expired. */
  purge(): Promise<void>
}

interface UnderWay {
  readonly scheduledFor: number
  readonly run: Promise<EnqueueOutcome>
}

export class OnceOnly {
  readonly #marks: Marks
  /** The leader's fence, or null where this process does not lead now. */
  readonly #fence: () => number | null
  readonly #onUnclear: (scheduledFor: number) => void
  readonly #underWay = new Map<string, UnderWay>()

  constructor(marks: Marks, fence: () => number | null, onUnclear: (scheduledFor: number) => void) {
    this.#marks = marks
    this.#fence = fence
    this.#onUnclear = onUnclear
  }

  async enqueue(
    taskId: string,
    scheduleTime: Date,
    put: (entry: QueueEntry) => unknown,
  ): Promise<EnqueueOutcome> {
    const key = markOf(taskId, scheduleTime)
    const other = this.#underWay.get(key)?.run
    if (other !== undefined) {
      const outcome = await other
      return outcome === 'enqueued' ? 'duplicate' : outcome
    }
    const scheduledFor = scheduleTime.getTime()
    const run = this.#enqueue(key, put).catch((error: unknown) => {
      this.#onUnclear(scheduledFor)
      throw error
    })
    this.#underWay.set(key, { scheduledFor, run })
    try {
      return await run
    } finally {
      this.#underWay.delete(key)
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#underWay.values()].map(({ run }) => run))
  }

  /** When the earliest task was due that is still under way, or null. */
  get oldest(): number | null {
    if (this.#underWay.size === 0) return null
    return Math.min(...[...this.#underWay.values()].map(({ scheduledFor }) => scheduledFor))
  }

  async #enqueue(key: string, put: (entry: QueueEntry) => unknown): Promise<EnqueueOutcome> {
    const fence = this.#fence()
    if (fence === null) return 'not_leading'
    const claim = await this.#marks.claim(key, fence)
    if (claim === 'enqueued') return 'duplicate'
    // The claim may have taken any time. The next leader takes over a mark that is left behind.
    if (claim === 'stale' || this.#fence() !== fence) return 'not_leading'
    await put({ key, repeat: claim === 'repeated', fence })
    await this.#marks.finish(key, fence)
    return 'enqueued'
  }
}

function markOf(taskId: string, scheduleTime: Date): string {
  refuseBadName(taskId, 'taskId')
  // Callers without types pass what their timers give them.
  const given: unknown = scheduleTime
  if (given instanceof Date && !Number.isNaN(given.getTime())) return `${taskId}:${given.toISOString()}`
  throw new EvertickError('invalid_option', 'scheduleTime must be a Date.', {
    field: 'scheduleTime',
    next: 'Pass the nominal time of the task: the fireDate that node-schedule gives, not the time of the call.',
  })
}
