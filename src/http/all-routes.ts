/** All routes: the router serves these and no other. */
import type { Endpoint } from './endpoint.ts'
import { accessRoutes } from './routes/access.ts'
import { alertRoutes } from './routes/alerts.ts'
import { clusterRoutes } from './routes/cluster.ts'
import { eventRoutes } from './routes/events.ts'
import { executionRoutes } from './routes/executions.ts'
import { jobActionRoutes } from './routes/job-actions.ts'
import { jobHistoryRoutes } from './routes/job-history.ts'
import { jobRoutes } from './routes/jobs.ts'
import { leaseRoutes } from './routes/leases.ts'
import { pingRoutes } from './routes/pings.ts'
import { reportRoutes } from './routes/reports.ts'
import { secretRoutes } from './routes/secrets.ts'
import { serviceRoutes } from './routes/service.ts'
import { upkeepRoutes } from './routes/upkeep.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export const prefix = '/api/v1'

export interface PlacedEndpoint extends Endpoint {
  /** With its prefix: `/api/v1/jobs/{id}`. */
  readonly fullPath: string
}

const prefixed = [
  jobRoutes,
  jobActionRoutes,
  jobHistoryRoutes,
  upkeepRoutes,
  executionRoutes,
  clusterRoutes,
  leaseRoutes,
  alertRoutes,
  eventRoutes,
  accessRoutes,
  reportRoutes,
  secretRoutes,
  webhookRoutes,
] as const

/** Each of them with its types, for the client. */
export type Route =
  | (typeof prefixed)[number][number]
  | (typeof serviceRoutes)[number]
  | (typeof pingRoutes)[number]

export const allRoutes: readonly PlacedEndpoint[] = [
  ...prefixed.flat().map((route) => ({ ...route, fullPath: `${prefix}${route.path}` })),
  ...[...serviceRoutes, ...pingRoutes].map((route) => ({ ...route, fullPath: route.path })),
]
