/** What the API is made of, and what it takes of a node's configuration. */
import { BlockList } from 'node:net'
import type { Access } from '../app/access/access.ts'
import type { AppContext } from '../app/app-context.ts'
import type { ApiConfig } from '../app/config/api-config.ts'
import type { Logger } from '../engine/logger.ts'
import type { Evertick } from '../evertick.ts'
import type { Rate } from './guard/rate-limit.ts'

export interface ApiOptions {
  readonly evertick: Evertick
  readonly app: AppContext
  readonly access: Access
  readonly logger: Logger
  /** The host names that it answers to; null for any. */
  readonly hosts: readonly string[] | null
  /** The limit for one caller. @default 200 a second, 400 at once */
  readonly rate?: Rate
  /** The largest body, of routes that take a job or its data. @default 2 MiB */
  readonly maxBodyBytes?: number
  /** Proxies whose headers are believed. @default none */
  readonly trustProxy?: BlockList
  /** Whether anybody may read the metrics. @default false */
  readonly metricsPublic?: boolean
  /** The path that the API is mounted at. @default '', the root */
  readonly basePath?: string
}

export const usualRate: Rate = { perSecond: 200, burst: 400 }
export const noProxies = new BlockList()

export function settingsOf({
  basePath,
  metricsPublic,
  maxBodyBytes,
  rateLimit,
  trustProxy,
}: ApiConfig): Pick<ApiOptions, 'basePath' | 'metricsPublic' | 'maxBodyBytes' | 'rate' | 'trustProxy'> {
  const rate = { perSecond: rateLimit, burst: 2 * rateLimit }
  return { basePath, metricsPublic, maxBodyBytes, rate, trustProxy }
}
