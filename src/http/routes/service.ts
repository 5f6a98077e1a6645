/** Outside of the prefix: whether this node lives and is ready, and what the API is. */
import { z } from 'zod'
import { version } from '../../app/version.ts'
import { EvertickError } from '../../core/error.ts'
import { type Endpoint, endpoint, Reply } from '../endpoint.ts'
import { health } from '../schemas/cluster.ts'

const tag = 'Service'
/** Longer, and whoever asks has given up. */
const patienceMs = 2_000

async function isReady(ping: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false)
  })
  const answers = ping.then(
    () => true,
    (error: unknown) => {
      if (error instanceof EvertickError) return false
      throw error
    },
  )
  try {
    return await Promise.race([answers, late])
  } finally {
    clearTimeout(timer)
  }
}

const readiness: Endpoint['run'] = async ({ evertick }) => {
  const ready = await isReady(evertick.ping())
  const body = { status: ready ? 'ok' : 'unavailable', version, nodeId: evertick.nodeId }
  return new Reply(body, { status: ready ? 200 : 503 })
}

/** The version of Prometheus' text format. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** `/health` is the seed's word for readiness. */
export const serviceRoutes: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/livez',
    role: 'public',
    tag,
    summary: 'This process answers',
    answers: health,
    run: async ({ evertick }) => ({ status: 'ok', version, nodeId: evertick.nodeId }),
  }),
  endpoint({
    method: 'get',
    path: '/readyz',
    role: 'public',
    tag,
    summary: 'The database answers, too',
    answers: health,
    run: readiness,
  }),
  endpoint({
    method: 'get',
    path: '/health',
    role: 'public',
    tag,
    summary: 'The same as /readyz',
    answers: health,
    run: readiness,
  }),
  endpoint({
    method: 'get',
    path: '/metrics',
    role: 'viewer',
    publicBy: 'metricsPublic',
    tag,
    summary: 'Metrics for Prometheus',
    answers: z.string(),
    contentType: 'text/plain',
    run: async ({ metrics }) => new Reply(await metrics.text(), { headers: { 'content-type': metricsType } }),
  }),
]
