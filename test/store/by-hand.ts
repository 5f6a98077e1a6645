/** The scheduler and the worker, worked by hand: each call is one verb at a made-up instant, and nothing else moves. */
import type { Ending } from '../../src/core/attempt/outcome.ts'
import type { Execution } from '../../src/core/execution/execution.ts'
import type { Job, JobSpec } from '../../src/core/job/job.ts'
import type {
  AccountRequest,
  AccountResult,
  Claim,
  ClaimedExecution,
  ClaimRequest,
  Fence,
  FinishResult,
  JobChange,
  Store,
} from '../../src/store/store.ts'
import { by, day, idOf, jobSpec, newJob, node, t0 } from './builders.ts'

export const leaseMs = 30_000

export interface Led extends Fence {
  readonly startAt: number
}

export type ByHand = ReturnType<typeof byHand>

export function byHand(store: Store) {
  const hand = {
    /** Takes the leadership for good: the lease outlasts any test. */
    async lead(nodeId = 'n1', now = t0): Promise<Led> {
      const term = await store.cluster.electLeader({ nodeId, now, leaseMs: 1_000 * day })
      if (term === null) throw new Error(`${nodeId} was not elected`)
      return { termId: term.id, holder: nodeId, startAt: term.startAt }
    },

    async work(nodeId = 'n1', handlers: readonly string[] = ['work']): Promise<void> {
      await store.cluster.registerNode(node(nodeId), handlers)
    },

    async create(name: string, spec: JobSpec = jobSpec(), now = t0): Promise<Job> {
      return await store.jobs.createJob(newJob(name, spec, now))
    },

    async change(name: string, change: JobChange, now: number): Promise<Job> {
      return await store.jobs.changeJob(name, change, by(now))
    },

    async pause(name: string, now: number, until?: number): Promise<Job> {
      return await hand.change(name, { kind: 'pause', ...(until === undefined ? {} : { until }) }, now)
    },

    async resume(
      name: string,
      now: number,
      catchUp: Extract<JobChange, { kind: 'resume' }>['catchUp'] = 'skip',
    ): Promise<Job> {
      return await hand.change(name, { kind: 'resume', catchUp }, now)
    },

    async trigger(name: string, execution: string, now: number, force = false): Promise<Execution> {
      const trigger = { id: idOf(execution), force, input: undefined, metadata: {} }
      return await store.executions.triggerJob(name, trigger, by(now))
    },

    /** What a leader does when it wakes: everything due by now is accounted. */
    async account(led: Led, now: number, overrides: Partial<AccountRequest> = {}): Promise<AccountResult> {
      const aheadMs = overrides.aheadMs ?? 0
      const { jobs } = await store.ticks.findDueJobs(now + aheadMs, 1_000)
      return await store.ticks.accountTicks({
        leader: led,
        termStartAt: led.startAt,
        jobs,
        now,
        aheadMs,
        catchUpFrom: now,
        catchUpEveryMs: 0,
        maxExecutions: 1_000,
        outOfTime: () => false,
        ...overrides,
      })
    },

    async claim(now: number, overrides: Partial<ClaimRequest> = {}): Promise<readonly ClaimedExecution[]> {
      const limit = overrides.limit ?? 100
      const { claimed } = await store.work.claimExecutions({
        nodeId: 'n1',
        queue: 'default',
        limit,
        start: limit,
        now,
        readyBy: now,
        leaseMs,
        ...overrides,
      })
      return claimed
    },

    async claimOne(now: number, overrides: Partial<ClaimRequest> = {}): Promise<ClaimedExecution> {
      const [claimed] = await hand.claim(now, { limit: 1, ...overrides })
      if (claimed === undefined) throw new Error(`nothing to claim at ${now - t0} ms`)
      return claimed
    },

    async finish(
      claim: Claim & { readonly attempt?: number },
      now: number,
      ending: Ending = { state: 'completed', result: null },
      nodeId = 'n1',
    ): Promise<FinishResult> {
      const attempt = {
        id: claim.id,
        fence: claim.fence,
        attempt: claim.attempt ?? 1,
        ending,
        finishedAt: now,
      }
      return await store.work.finishAttempts({ nodeId, attempts: [attempt], now })
    },

    /** Claims and completes until nothing is ready. */
    async drain(now: number): Promise<readonly ClaimedExecution[]> {
      const done: ClaimedExecution[] = []
      for (let claimed = await hand.claim(now); claimed.length > 0; claimed = await hand.claim(now)) {
        for (const claim of claimed) await hand.finish(claim, now)
        done.push(...claimed)
      }
      return done
    },

    async expire(now: number) {
      return await store.work.expireLeases({ now, limit: 100, random: () => 0 })
    },

    async job(name: string): Promise<Job> {
      const found = await store.jobs.findJob(name)
      if (found === null) throw new Error(`no job ${name}`)
      return found
    },

    async execution(id: string): Promise<Execution> {
      const found = await store.executions.findExecution(id)
      if (found === null) throw new Error(`no execution ${id}`)
      return found
    },

    /** Of one job, oldest first. */
    async executions(name: string): Promise<Execution[]> {
      return (await store.executions.listExecutions({ job: name, limit: 10_000 })).toReversed()
    },

    /** The ledger as text, in seconds after `t0`: `10 fired`, `20-40 coalesced latest x3`, `50 fired completed x1`. */
    async ledger(name: string): Promise<string[]> {
      const job = await hand.job(name)
      const { ranges } = await store.ticks.explainSpan(name, 0, t0 + 10_000 * day, 0, t0)
      const own = (await hand.executions(job.id)).flatMap(({ tickAt, account }) =>
        tickAt === null ? [] : [{ at: tickAt, text: `${seconds(tickAt)} ${account}` }],
      )
      const spans = ranges.map(({ from, to, account, reason, outcome, count }) => ({
        at: from,
        text: `${seconds(from)}${to === from ? '' : `-${seconds(to)}`} ${account} ${reason ?? outcome} x${count}`,
      }))
      return [...own, ...spans].sort((a, b) => a.at - b.at).map((entry) => entry.text)
    },

    async states(name: string): Promise<string[]> {
      return (await hand.executions(name)).map(({ cause, state }) => `${cause} ${state}`)
    },
  }
  return hand
}

/** Seconds after `t0`. */
export function seconds(instant: number): number {
  return (instant - t0) / 1_000
}

export function at(secondsAfter: number): number {
  return t0 + secondsAfter * 1_000
}
