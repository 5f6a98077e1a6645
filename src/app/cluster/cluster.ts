/** `evertick.leader`, `.nodes` and `.queues`: who runs what. */

import type { Repair } from '../../core/leader/term.ts'
import { effectiveEnd, gapBefore } from '../../core/leader/term.ts'
import type { NodeRow, QueueRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { refuseBadName } from '../config/call-options.ts'

export interface TermView {
  readonly id: number
  readonly leaderInstance: string
  readonly startTime: Date
  readonly stopTime: Date | null
  readonly lastHeartbeat: Date | null
  readonly handledMissedTasks: boolean
  /** Stop, or last heartbeat plus grace. */
  readonly effectiveEnd: Date
  /** How long there was no leader before this term, in milliseconds. */
  readonly gapMs: number
  readonly missed: Repair
}

export class Leader {
  readonly #app: AppContext
  readonly #graceMs: number
  readonly #stepDown: () => Promise<boolean>

  constructor(app: AppContext, graceMs: number, stepDown: () => Promise<boolean>) {
    this.#app = app
    this.#graceMs = graceMs
    this.#stepDown = stepDown
  }

  async current(): Promise<{ instance: string; termId: number; leaseUntil: Date } | null> {
    const leader = await this.#app.store.cluster.currentLeader()
    if (leader === null || leader.expiresAt <= this.#app.clock.now()) return null
    return { instance: leader.holder, termId: leader.termId, leaseUntil: new Date(leader.expiresAt) }
  }

  /** Newest first. */
  async terms({ instance, limit = 20 }: { instance?: string; limit?: number } = {}): Promise<TermView[]> {
    const terms = await this.#app.store.cluster.listTerms({
      limit: limit + 1,
      ...(instance === undefined ? {} : { instance }),
    })
    return terms.slice(0, limit).map((term, index) => {
      const gap = gapBefore(term, terms[index + 1] ?? null, 0)
      return {
        id: term.id,
        leaderInstance: term.leaderInstance,
        startTime: new Date(term.startAt),
        stopTime: term.stopAt === null ? null : new Date(term.stopAt),
        lastHeartbeat: term.lastHeartbeatAt === null ? null : new Date(term.lastHeartbeatAt),
        handledMissedTasks: term.handledMissedTasks,
        effectiveEnd: new Date(effectiveEnd(term, this.#graceMs)),
        gapMs: gap === null ? 0 : gap.to - gap.from,
        missed: term.repair,
      }
    })
  }

  /** Ends the current term: this node's, or that of another leader. */
  async stepDown(by: ActorOptions = {}): Promise<boolean> {
    const { store } = this.#app
    const leader = await store.cluster.currentLeader()
    const { now, actor, origin } = changeContext(this.#app, by)
    if (!(await this.#stepDown())) {
      if (leader === null) return false
      await store.cluster.endTerm(leader.termId, leader.holder, now)
    }
    const { termId = null, holder: subject = 'leader' } = leader ?? {}
    const entry = { at: now, actor, origin, action: 'leader.step_down', subject, before: { termId } }
    await store.audit.appendAuditLog([{ ...entry, after: null }])
    return true
  }
}

export class Nodes {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async list(): Promise<
    (Omit<NodeRow, 'startedAt' | 'seenAt'> & { startedAt: Date; seenAt: Date; leads: boolean })[]
  > {
    const leader = await this.#app.store.cluster.currentLeader()
    const nodes = await this.#app.store.cluster.listNodes()
    return nodes.map((node) => ({
      ...node,
      startedAt: new Date(node.startedAt),
      seenAt: new Date(node.seenAt),
      leads: leader?.holder === node.id && leader.expiresAt > this.#app.clock.now(),
    }))
  }

  /** The handlers that some node has: a job with another one waits. */
  async handlers(): Promise<string[]> {
    return await this.#app.store.cluster.listHandlers()
  }
}

export class Queues {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async list(): Promise<(Omit<QueueRow, 'pausedAt'> & { pausedAt: Date | null })[]> {
    const queues = await this.#app.store.cluster.listQueues()
    return queues.map((queue) => ({
      ...queue,
      pausedAt: queue.pausedAt === null ? null : new Date(queue.pausedAt),
    }))
  }

  /** Nothing in the queue starts until it is resumed. Running executions go on. */
  async pause(name: string, { reason, ...by }: ActorOptions & { reason?: string } = {}): Promise<void> {
    refuseBadName(name, 'name')
    await this.#app.store.cluster.pauseQueue(name, reason ?? null, changeContext(this.#app, by))
  }

  async resume(name: string, by: ActorOptions = {}): Promise<void> {
    refuseBadName(name, 'name')
    await this.#app.store.cluster.resumeQueue(name, changeContext(this.#app, by))
    this.#app.enqueued()
  }
}
