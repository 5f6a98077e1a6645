/** A server as a system: the client's calls under the names of the library, with Dates. */
import type { Leader, Nodes, Queues, TermView } from '../../app/cluster/cluster.ts'
import type { AttemptView } from '../../app/execution/execution-detail.ts'
import type { LogLine } from '../../app/execution/executions.ts'
import type { StepView } from '../../app/execution/steps.ts'
import type { AuditResult } from '../../app/job/audit-ledger.ts'
import type { Why } from '../../app/job/why.ts'
import type { Locks } from '../../app/locks/locks.ts'
import type { AuditEntry } from '../../app/log/audit-log.ts'
import type { Metrics } from '../../app/reports/metrics.ts'
import type { SecretView } from '../../app/vault/vault.ts'
import type { Client } from '../../client/index.ts'
import type { System } from '../system.ts'
import { exportedJobs, gathered, searchText } from './lists.ts'
import { remoteAlerts } from './remote-alerts.ts'
import { instantText, remoteJobs, withoutActor } from './remote-jobs.ts'
import { remoteWebhooks } from './remote-webhooks.ts'
import { attemptInstants, executionOf, logInstants, stepInstants, viewOf, viewsOf } from './views.ts'

type ElementOf<List extends (...args: never) => Promise<readonly unknown[]>> = Awaited<
  ReturnType<List>
>[number]
type CurrentLeader = NonNullable<Awaited<ReturnType<Leader['current']>>>

export function remoteSystem(client: Client): System {
  const { executions, leader, leases, locks, queues, nodes, auditLog, secrets, tokens } = client
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
        return { ...executionOf(execution), attempts, steps, definition: execution.definition }
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
