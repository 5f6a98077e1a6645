/** A server as a system: the client's calls under the names of the library, with Dates. */
import type { CalendarView, ImportedCalendar } from '../../app/calendar/calendars.ts'
import type { Leader, Nodes, Queues, TermView } from '../../app/cluster/cluster.ts'
import type { AttemptView, StandsForView } from '../../app/execution/execution-detail.ts'
import type { LogLine } from '../../app/execution/executions.ts'
import type { StepView } from '../../app/execution/steps.ts'
import type { AuditResult } from '../../app/job/audit-ledger.ts'
import type { Why } from '../../app/job/why.ts'
import type { LimitView } from '../../app/limits/limits.ts'
import type { Locks } from '../../app/locks/locks.ts'
import type { AuditEntry } from '../../app/log/audit-log.ts'
import type { Metrics } from '../../app/reports/metrics.ts'
import type { SecretView } from '../../app/vault/vault.ts'
import type { Client } from '../../client/index.ts'
import type { System } from '../system.ts'
import { exportedJobs, gathered, searchText } from './lists.ts'
import { remoteAlerts } from './remote-alerts.ts'
import { remoteBatches, remoteFlows } from './remote-flows.ts'
import { instantText, remoteJobs, withoutActor } from './remote-jobs.ts'
import { remoteWebhooks } from './remote-webhooks.ts'
import {
  attemptInstants,
  executionOf,
  logInstants,
  standsForInstants,
  stepInstants,
  viewOf,
  viewsOf,
} from './views.ts'

type ElementOf<List extends (...args: never) => Promise<readonly unknown[]>> = Awaited<
  ReturnType<List>
>[number]
type CurrentLeader = NonNullable<Awaited<ReturnType<Leader['current']>>>

const calendarInstants = { createdAt: true, changedAt: true } as const

export function remoteSystem(client: Client): System {
  const { executions, leader, leases, limits, locks, queues, nodes, auditLog, calendars, secrets, tokens } =
    client
  return {
    jobs: remoteJobs(client),
    executions: {
      list: async (query) => {
        const { limit = 100, cursor, job, state, queue, filter, ...rest } = { ...query }
        return await gathered(limit, cursor, async (place) => {
          const search = searchText({ job, state, queue }, undefined, filter)
          const page = await executions.list({ ...rest, ...search, ...place })
          return { ...page, items: page.executions }
        }).then(({ items, nextCursor }) => ({
          executions: items.map(executionOf),
          nextCursor,
        }))
      },
      get: async (id) => {
        const execution = await executions.get(id)
        const attempts = viewsOf<AttemptView>(execution.attempts, attemptInstants)
        const steps = viewsOf<StepView>(execution.steps, stepInstants)
        const { definition } = execution
        const standsFor =
          execution.standsFor === null ? null : viewOf<StandsForView>(execution.standsFor, standsForInstants)
        return { ...executionOf(execution), attempts, steps, standsFor, definition }
      },
      cancel: async (id) => executionOf(await executions.cancel(id)),
      retry: async (id, options) => executionOf(await executions.retry(id, withoutActor(options))),
      logs: async (id) => viewsOf<LogLine>(await executions.logs(id), logInstants),
    },
    leader: {
      current: async () => {
        const current = await leader.current()
        return current === null ? null : viewOf<CurrentLeader>(current, { leaseUntil: true })
      },
      terms: async (query) =>
        viewsOf<TermView>(await leader.terms(query), {
          startTime: true,
          stopTime: true,
          lastHeartbeat: true,
          effectiveEnd: true,
        }),
      stepDown: async () => await leader.stepDown(),
    },
    leases: {
      active: async () => (await leases.active()).map(executionOf),
      expired: async () => (await leases.expired()).map(executionOf),
      resetExpired: async () => await leases.resetExpired(),
    },
    limits: {
      list: async () => viewsOf<LimitView>(await limits.list(), { changedAt: true }),
      set: async (name, options) =>
        viewOf<LimitView>(await limits.set(name, withoutActor(options)), { changedAt: true }),
      delete: async (name) => await limits.delete(name),
    },
    locks: {
      list: async () => viewsOf<ElementOf<Locks['list']>>(await locks.list(), { expiresAt: true }),
      release: async (name) => await locks.release(name),
    },
    queues: {
      list: async () => viewsOf<ElementOf<Queues['list']>>(await queues.list(), { pausedAt: true }),
      pause: async (name, options) => await queues.pause(name, withoutActor(options)),
      resume: async (name) => await queues.resume(name),
    },
    nodes: {
      list: async () =>
        viewsOf<ElementOf<Nodes['list']>>(await nodes.list(), { startedAt: true, seenAt: true }),
      handlers: async () => await nodes.handlers(),
    },
    alerts: remoteAlerts(client),
    flows: remoteFlows(client),
    batches: remoteBatches(client),
    auditLog: {
      list: async (asked) => {
        const { limit = 100, cursor, from, to, ...query } = { ...asked }
        return await gathered(limit, cursor, async (place) => {
          const span = {
            ...(from === undefined ? {} : { from: instantText(from, 'from') }),
            ...(to === undefined ? {} : { to: instantText(to, 'to') }),
          }
          const page = await auditLog.list({ ...query, ...span, ...place })
          return { ...page, items: page.entries }
        }).then(({ items, nextCursor }) => ({
          entries: viewsOf<AuditEntry>(items, { at: true }),
          nextCursor,
        }))
      },
      verify: async (query) => await auditLog.verify(query),
    },
    audit: async () => {
      const { findings, ...report } = await client.audit()
      return {
        ...report,
        findings: viewsOf<AuditResult['findings'][number]>(findings, { at: true, until: true }),
      }
    },
    why: async (reference) => viewOf<Why>(await client.why(reference), {}),
    signal: async (id, name, payload, options) =>
      await executions.signal(id, {
        name,
        ...(payload === undefined ? {} : { payload }),
        ...withoutActor(options),
      }),
    calendars: {
      list: async () => viewsOf<CalendarView>(await calendars.list(), calendarInstants),
      get: async (name) => viewOf<CalendarView>(await calendars.get(name), calendarInstants),
      put: async (name, { open = [], closed = [], ...zone }) =>
        viewOf<CalendarView>(
          await calendars.put(name, { open: [...open], closed: [...closed], ...zone }),
          calendarInstants,
        ),
      import: async (name, ical, options) =>
        viewOf<ImportedCalendar>(
          await calendars.import(
            name,
            ical,
            options?.timezone === undefined ? {} : { timezone: options.timezone },
          ),
          calendarInstants,
        ),
      delete: async (name) => await calendars.delete(name),
    },
    secrets: {
      list: async () => viewsOf<SecretView>(await secrets.list(), { createdAt: true, changedAt: true }),
      set: async (name, value) => await secrets.set(name, value),
      delete: async (name, options) => await secrets.delete(name, withoutActor(options)),
      rotate: async () => await secrets.rotate(),
    },
    metrics: async () => viewOf<Metrics>(await client.metrics(), { collectedAt: true }),
    tokens: {
      createToken: async (options) => viewOf(await tokens.create(withoutActor(options)), { expiresAt: true }),
      listTokens: async () =>
        viewsOf(await tokens.list(), { createdAt: true, expiresAt: true, revokedAt: true }),
      revoke: async (id) => await tokens.revoke(id),
    },
    webhooks: remoteWebhooks(client),
    exportCrontab: async (options) => await client.jobs.exportCrontab(options),
    apply: async (request) => await client.jobs.apply({ ...request, jobs: [...request.jobs] }),
    exportJobs: async (names) => await exportedJobs(client, names),
    follow: async (tell, signal) => {
      for await (const { eventId: _eventId, ...event } of client.events({ signal })) tell(event)
    },
  }
}
