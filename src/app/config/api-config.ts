/** How the API listens and whom it believes: options before environment, checked once. */
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import type { ProviderOptions } from '../access/foreign-tokens.ts'
import { checked } from './checked.ts'
import { apiFromEnvironment } from './environment.ts'

export interface ApiOptions {
  /** The address to listen on. @default EVERTICK_HOST, else '127.0.0.1' */
  readonly host?: string
  /** @default EVERTICK_PORT, else the first free one from 8060 on */
  readonly port?: number
  /** The path that it stands below, behind a proxy that passes addresses on as they are: `/jobs`. @default EVERTICK_BASE_PATH, else none */
  readonly basePath?: string
  /** Further names that the server answers to, beside its address. @default none */
  readonly hosts?: readonly string[]
  /** Secrets of at least 32 bytes that sign tokens: the first signs, all are believed. @default EVERTICK_JWT_SECRET */
  readonly secrets?: readonly string[]
  /** Your own provider of tokens. @default EVERTICK_JWKS_URL, EVERTICK_JWT_ISSUER and EVERTICK_JWT_AUDIENCE */
  readonly provider?: ProviderOptions
  /** Whether `/metrics` needs no token. @default EVERTICK_METRICS_PUBLIC, else false */
  readonly metricsPublic?: boolean
}

export interface ApiConfig {
  readonly host: string
  readonly port: number
  readonly portIsNamed: boolean
  /** Empty at the root. */
  readonly basePath: string
  readonly hosts: readonly string[]
  readonly secrets: readonly string[]
  readonly provider: ProviderOptions | null
  readonly metricsPublic: boolean
}

const usualPort = 8060

const shape = z.strictObject({
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  basePath: z.string().optional(),
  hosts: z.array(z.string().min(1)).optional(),
  secrets: z.array(z.string()).optional(),
  provider: z
    .strictObject({ jwksUrl: z.url(), issuer: z.string().min(1), audience: z.string().min(1) })
    .optional(),
  metricsPublic: z.boolean().optional(),
})

export function apiConfig(options: ApiOptions | undefined): ApiConfig {
  const given = checked(shape, options ?? {}, 'invalid_config', 'api', Object.keys(shape.shape))
  const around = apiFromEnvironment()
  const port = given.port ?? around.port
  return {
    host: given.host ?? around.host ?? '127.0.0.1',
    port: port ?? usualPort,
    portIsNamed: port !== undefined,
    basePath: parseBasePath(given.basePath ?? around.basePath ?? ''),
    hosts: (given.hosts ?? around.hosts).map((name) => name.toLowerCase()),
    secrets: given.secrets ?? around.secrets,
    provider: given.provider ?? around.provider,
    metricsPublic: given.metricsPublic ?? around.metricsPublic,
  }
}

/** The options of a mount: it does not listen, and the app decides its path. */
export type MountOptions = Pick<ApiOptions, 'hosts' | 'secrets' | 'provider' | 'metricsPublic'>

const mountShape = shape.omit({ host: true, port: true })

/** `basePath` is only for a mount whose framework does not tell its path. */
export function mountConfig(options: MountOptions & Pick<ApiOptions, 'basePath'>): ApiConfig {
  checked(mountShape, options, 'invalid_config', 'The mount', Object.keys(mountShape.shape))
  // EVERTICK_BASE_PATH is for our own server, not for a mount.
  return apiConfig({ ...options, basePath: options.basePath ?? '' })
}

/** Plain words only: it becomes part of URLs and of a cookie, and a mount may take it from a request. */
export const basePathPattern = /^(?:\/[\w.~-]+)*$/

/** Empty, or with a slash in front and none behind. */
export function parseBasePath(given: string): string {
  const path = given.replace(/\/$/, '')
  if (basePathPattern.test(path)) return path
  throw new EvertickError('invalid_config', `${JSON.stringify(given)} is not a valid base path.`, {
    field: 'basePath',
    next: 'Use words with a slash before each: /jobs, or /admin/jobs.',
  })
}

/** There is no access by default: without a secret or a provider no token can be checked. */
export function refuseOpenDoor({ secrets, provider }: ApiConfig): void {
  if (secrets.length > 0 || provider !== null) return
  throw new EvertickError('invalid_config', 'The API has neither a secret to sign tokens nor a provider.', {
    field: 'EVERTICK_JWT_SECRET',
    next: 'Set EVERTICK_JWT_SECRET (`openssl rand -base64 48`), or EVERTICK_JWKS_URL.',
  })
}
