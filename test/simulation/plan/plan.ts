/**
 * A history before it happens: the cluster, its jobs, and everything that befalls it, as data. A seed draws one; a
 * failing one is made smaller by leaving parts out; a regression keeps one for good.
 */
import type { JobOptions } from '../../../src/index.ts'
import type { ClockPlan } from '../world/node-clock.ts'

export const modes = ['safety', 'liveness', 'soak'] as const
export type Mode = (typeof modes)[number]

export interface Plan {
  readonly seed: number
  readonly mode: Mode
  readonly startAt: number
  /** Whether unfinished and finished executions share a table, as on SQLite and MySQL, or not, as on PostgreSQL. */
  readonly tables?: 'one' | 'two'
  /** Faults and operators do their worst for this long; then everything heals. */
  readonly durationMs: number
  readonly timing: Timing
  readonly weather: Weather
  /** Whether leaders hold lifelines, as on a server; without, others go by leases alone. */
  readonly lifelines: boolean
  /** Whether a webhook hears of all ends, from before the first node is there; nobody answers at its address. */
  readonly listens?: boolean
  readonly nodes: readonly NodePlan[]
  readonly jobs: readonly JobPlan[]
  /** In order of time. */
  readonly steps: readonly Step[]
}

export interface Timing {
  readonly leaderLeaseMs: number
  readonly heartbeatMs: number
  readonly workerLeaseMs: number
  /** Of the nodes' clocks: how often they look around by themselves follows from it. */
  readonly longestSleepMs: number
  readonly catchUpRate: number
}

/** What may happen to any call of the store. */
export interface Weather {
  /** Each way, at most. */
  readonly latencyMs: number
  /** The probabilities of one call. */
  readonly refused: number
  readonly replyLost: number
  readonly hang: number
  readonly hangMs: number
}

export interface NodePlan {
  readonly roles: readonly ('scheduler' | 'worker')[]
  readonly concurrency: number
  readonly clock: ClockPlan
  /** A job that this node's code does not have. */
  readonly lacks: string | null
}

export interface JobPlan {
  readonly name: string
  readonly options: JobOptions
  readonly work: Work
}

/** What a run of a job does; which of it, is thrown by the run's tick and attempt. */
export interface Work {
  readonly durationsMs: readonly number[]
  /** Probabilities of one attempt. */
  readonly throws: number
  readonly snoozes: number
  readonly retries: number
  /** Whether its effect goes through `ctx.transaction`. */
  readonly transactional: boolean
  /** How long it holds its transaction open; beyond 2 s it is rolled back. */
  readonly transactionMs: number
  /** Whether it ends when its signal is aborted. */
  readonly heeds: boolean
  /** A job that each run enqueues, inside its transaction where it has one. */
  readonly enqueues: string | null
  /** What it remembers by name, one after another, before its end. */
  readonly parts: readonly Part[]
}

/** A step, a sleep or a wait of a run. */
export type Part = {
  /** Together with the one before it, by Promise.all. */
  readonly beside: boolean
} & (
  | {
      readonly kind: 'step'
      readonly transaction: boolean
      readonly ms: number
      /** The probability of one try, of which it has so many. */
      readonly throws: number
      readonly tries: number
    }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'wait'; readonly timeoutMs: number | null }
)

/** As its handler and whoever signals it know it. */
export function partName(part: Part, index: number): string {
  return `${part.kind === 'step' && part.transaction ? 'write' : part.kind}-${index + 1}`
}

export type Step = { readonly atMs: number } & (NodeStep | WorldStep | OperatorStep)

export type NodeStep =
  | { readonly kind: 'crash' | 'stop' | 'freeze' | 'cut_off'; readonly node: number; readonly forMs: number }
  | { readonly kind: 'step_down' | 'drop'; readonly node: number }
  | { readonly kind: 'jump'; readonly node: number; readonly ms: number }
  | { readonly kind: 'drift'; readonly node: number; readonly rate: number; readonly forMs: number }

export type WorldStep =
  | { readonly kind: 'down' | 'disk_full'; readonly forMs: number }
  /** New code: nodes that start from now on bring it. */
  | { readonly kind: 'deploy'; readonly job: string; readonly options: JobOptions }

export type OperatorStep = {
  /** Through which node; by the operator's own process where it is -1 or not there. */
  readonly via: number
} & (
  | { readonly kind: 'pause'; readonly job: string; readonly forMs: number | null }
  | {
      readonly kind: 'resume'
      readonly job: string
      readonly catchUp: 'skip' | 'policy' | 'latest' | 'all'
    }
  | { readonly kind: 'edit'; readonly job: string; readonly options: JobOptions }
  | { readonly kind: 'trigger'; readonly job: string; readonly force: boolean }
  | { readonly kind: 'backfill'; readonly job: string; readonly agoMs: number }
  | { readonly kind: 'enqueue'; readonly job: string; readonly unique: string | null }
  | { readonly kind: 'burst'; readonly job: string; readonly count: number }
  | {
      readonly kind: 'cancel' | 'delete' | 'cancel_execution' | 'retry_execution' | 'reset_cursor'
      readonly job: string
    }
  /** `prune`: retention at once, where the leader's own comes every five minutes. */
  | { readonly kind: 'pause_queue' | 'resume_queue' | 'prune' }
  | { readonly kind: 'lock'; readonly ttlMs: number; readonly holdMs: number }
  | {
      readonly kind: 'signal'
      readonly job: string
      readonly wait: string
      /** The same id is one signal. */
      readonly id: string
      /** Which execution: the newest that is unfinished or has ended, or the one that has a unique key. */
      readonly to: 'unfinished' | 'ended' | { readonly key: string }
    }
  /** Whatever still waits gets its signal, or its end: nobody would come any more. */
  | { readonly kind: 'answer_all'; readonly job: string }
)

export const calm: Weather = { latencyMs: 0, refused: 0, replyLost: 0, hang: 0, hangMs: 0 }

export const isOperatorStep = (step: Step): step is { readonly atMs: number } & OperatorStep => 'via' in step

/** Whether some clock is set, drifts, or is so wrong that others' leases look expired. */
export function hasWrongClocks(plan: Plan): boolean {
  const slackMs = 400
  return (
    plan.nodes.some(({ clock }) => clock.rate !== 1 || Math.abs(clock.skewMs) > slackMs) ||
    plan.steps.some(({ kind }) => kind === 'jump' || kind === 'drift')
  )
}
