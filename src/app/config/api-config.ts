/** How the API listens and whom it believes: options before environment, checked once. */
import type { BlockList } from 'node:net'
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import type { ProviderOptions } from '../access/foreign-tokens.ts'
import { addressList } from './address-list.ts'
import { checked } from './checked.ts'
import { apiFromEnvironment } from './environment.ts'
import { type OidcConfig, type OidcOptions, oidcConfig, oidcShape } from './oidc-config.ts'

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
  /** Where people sign in to the dashboard: `issuer`, `clientId`, `clientSecret`, `roles` and more. @default EVERTICK_OIDC_ISSUER and its like, else by links only */
  readonly oidc?: OidcOptions
  /** Whether `/metrics` needs no token. @default EVERTICK_METRICS_PUBLIC, else false */
  readonly metricsPublic?: boolean
  /** Addresses and networks of the proxies before this server: their `X-Forwarded-For`, `-Proto` and `-Host` are believed. @default EVERTICK_TRUST_PROXY, else none */
  readonly trustProxy?: readonly string[]
  /** Calls a second of one caller; twice as many at once. @default EVERTICK_RATE_LIMIT, else 200 */
  readonly rateLimit?: number
  /** The largest body, of routes that take a job or its data. @default EVERTICK_MAX_BODY_BYTES, else 2_097_152 */
  readonly maxBodyBytes?: number
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
  readonly oidc: OidcConfig | null
  readonly metricsPublic: boolean
  readonly trustProxy: BlockList
  readonly rateLimit: number
  readonly maxBodyBytes: number
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
  oidc: oidcShape.optional(),
  metricsPublic: z.boolean().optional(),
  trustProxy: z.array(z.string().min(1)).optional(),
  rateLimit: z.int().min(1).max(100_000).optional(),
  maxBodyBytes: z.int().min(65_536).max(33_554_432).optional(),
})

export function apiConfig(options: ApiOptions | undefined): ApiConfig {
  const given = checked(shape, options ?? {}, 'invalid_config', 'api', Object.keys(shape.shape))
  const around = apiFromEnvironment()
  const port = given.port ?? around.port
  // A secret alone may come from the environment: it has no place in a file.
  const oidc = withSecret(given.oidc ?? around.oidc, around.oidcSecret)
  return {
    host: given.host ?? around.host ?? '127.0.0.1',
    port: port ?? usualPort,
    portIsNamed: port !== undefined,
    basePath: parseBasePath(given.basePath ?? around.basePath ?? ''),
    hosts: (given.hosts ?? around.hosts).map((name) => name.toLowerCase()),
    secrets: given.secrets ?? around.secrets,
    provider: given.provider ?? around.provider,
    oidc: oidc === undefined ? null : oidcConfig(oidc, given.oidc === undefined ? 'environment' : 'option'),
    metricsPublic: given.metricsPublic ?? around.metricsPublic,
    trustProxy: addressList(
      given.trustProxy ?? around.trustProxy,
      given.trustProxy === undefined ? 'EVERTICK_TRUST_PROXY' : 'trustProxy',
    ),
    rateLimit: given.rateLimit ?? around.rateLimit,
    maxBodyBytes: given.maxBodyBytes ?? around.maxBodyBytes,
  }
}

function withSecret(
  oidc: OidcOptions | undefined,
  clientSecret: string | undefined,
): OidcOptions | undefined {
  return oidc === undefined ? undefined : { clientSecret, ...oidc }
}

/** The options of a mount: it does not listen, and the app decides its path and which proxies it believes. */
export type MountOptions = Omit<ApiOptions, 'host' | 'port' | 'basePath' | 'trustProxy'>

const mountShape = shape.omit({ host: true, port: true, trustProxy: true })

/** `basePath` is only for a mount whose framework does not tell its path. */
export function mountConfig(options: MountOptions & Pick<ApiOptions, 'basePath'>): ApiConfig {
  checked(mountShape, options, 'invalid_config', 'The mount', Object.keys(mountShape.shape))
  // EVERTICK_BASE_PATH and EVERTICK_TRUST_PROXY are for our own server, not for a mount.
  return apiConfig({ ...options, basePath: options.basePath ?? '', trustProxy: [] })
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
