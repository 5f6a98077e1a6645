/** Every route there is: the router serves these and no other. */
import type { Endpoint } from './endpoint.ts'
import { accessRoutes } from './routes/access.ts'
import { clusterRoutes } from './routes/cluster.ts'
import { eventRoutes } from './routes/events.ts'
import { executionRoutes } from './routes/executions.ts'
import { jobRoutes } from './routes/jobs.ts'
import { leaseRoutes } from './routes/leases.ts'
import { serviceRoutes } from './routes/service.ts'

export const prefix = '/api/v1'

export interface PlacedEndpoint extends Endpoint {
  /** With its prefix: `/api/v1/jobs/{id}`. */
  readonly fullPath: string
}

export const allRoutes: readonly PlacedEndpoint[] = [
  ...[jobRoutes, executionRoutes, clusterRoutes, leaseRoutes, eventRoutes, accessRoutes]
    .flat()
    .map((route) => ({ ...route, fullPath: `${prefix}${route.path}` })),
  ...serviceRoutes.map((route) => ({ ...route, fullPath: route.path })),
]
