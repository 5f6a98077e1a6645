/** Routes without the prefix: whether this node is alive and ready, and its metrics. */
import { z } from 'zod'
import { version } from '../../app/config/version.ts'
import { EvertickError } from '../../core/error.ts'
import type { Evertick } from '../../evertick.ts'
import { type Call, endpoint, Reply } from '../endpoint.ts'
import { alive, health } from '../schemas/cluster.ts'

const tag = 'Service'
/** After this time the caller has given up. */
const patienceMs = 2_000

/** The ping that is under way for each node. */
const asked = new WeakMap<Evertick, Promise<boolean>>()

/** Anybody may call this, and heartbeats use the same connections: callers share the ping that is under way. */
async function isReady(evertick: Evertick): Promise<boolean> {
  const shared = asked.get(evertick)
  if (shared !== undefined) return await shared
  const answer = answers(evertick.ping()).finally(() => asked.delete(evertick))
  asked.set(evertick, answer)
  return await answer
}

async function answers(ping: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false)
  })
  const answered = ping.then(
    () => true,
    (error: unknown) => {
      if (error instanceof EvertickError) return false
      throw error
    },
  )
  try {
    return await Promise.race([answered, late])
  } finally {
    clearTimeout(timer)
  }
}

async function readiness({ evertick }: Call) {
  const [status, code] = (await isReady(evertick)) ? (['ok', 200] as const) : (['unavailable', 503] as const)
  return new Reply({ status, version, nodeId: evertick.nodeId }, { status: code })
}

/** The version of Prometheus' text format. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** `/health` is another name for `/readyz`. */
export const serviceRoutes = [
  endpoint({
    method: 'get',
    path: '/livez',
    role: 'public',
    unlimited: true,
    tag,
    summary: 'This process answers',
    answers: alive,
    run: async () => ({ status: 'ok' as const }),
  }),
  endpoint({
    method: 'get',
    path: '/readyz',
    role: 'public',
    unlimited: true,
    tag,
    summary: 'This process and its database answer',
    answers: health,
    run: readiness,
  }),
  endpoint({
    method: 'get',
    path: '/health',
    role: 'public',
    unlimited: true,
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
