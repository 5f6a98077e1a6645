/** Where a call may go: a URL in, the one address out that was checked and that will be connected to. */
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { EvertickError } from '../core/error.ts'
import { isMetadataAddress, isPrivateAddress } from './private-address.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export interface Target extends ResolvedAddress {
  readonly url: URL
}

export const systemResolve: Resolve = (hostname) => systemLookup(hostname, { all: true, verbatim: true })

export async function targetOf(
  given: string | URL,
  allowPrivateHosts: readonly string[],
  resolve: Resolve,
): Promise<Target> {
  const url = parseTarget(given)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = isIP(host)
  const addresses = literal === 0 ? await resolved(host, url, resolve) : [{ address: host, family: literal }]
  const [first] = addresses
  if (first === undefined) throw unreachable(url, 'the name has no address')
  if (
    addresses.some(({ address }) => isMetadataAddress(address)) &&
    !isNamedMetadata(host, url, allowPrivateHosts)
  ) {
    throw new EvertickError('outbound_refused', `${url.host} is the metadata service of a cloud machine.`, {
      field: 'url',
      next: 'If this is intended, add the address itself to EVERTICK_ALLOW_PRIVATE_HOSTS or allowPrivateHosts.',
    })
  }
  // One address that is not public is enough to refuse the name: the owner must not choose which one is used.
  if (
    !isAllowed(host, url, allowPrivateHosts) &&
    addresses.some(({ address }) => isPrivateAddress(address))
  ) {
    throw new EvertickError('outbound_refused', `${url.host} is not on the public internet.`, {
      field: 'url',
      next: `If this is intended, add ${host} to EVERTICK_ALLOW_PRIVATE_HOSTS or allowPrivateHosts.`,
    })
  }
  return { url, address: first.address, family: first.family }
}

/** Shows only the origin of a URL: paths and queries may hold secrets. */
export function unreachable(url: URL, why: string, cause?: unknown): EvertickError {
  return new EvertickError('outbound_failed', `The call to ${url.origin} failed: ${why}.`, {
    next: 'Check the address and the server; a failed call changes nothing.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The URL parser has by then made plain addresses of `0x7f.1`, `2130706433` and full-width digits. */
export function parseTarget(given: string | URL): URL {
  const refuse = (why: string, next: string) =>
    new EvertickError('outbound_refused', why, { field: 'url', next })
  if (!URL.canParse(String(given))) throw refuse('This is not a valid URL.', 'Write https://host/path.')
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuse(`${url.protocol} URLs are not supported.`, 'Use an http or https URL.')
  if (url.username !== '' || url.password !== '')
    throw refuse('The URL carries credentials.', 'Send them in a header, such as Authorization.')
  return url
}

async function resolved(host: string, url: URL, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  try {
    return await resolve(host)
  } catch (error) {
    throw unreachable(url, 'its name cannot be resolved', error)
  }
}

/** The names that clouds give to it. */
const metadataNames = [
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]

/** The owner of another name could point it at this address: only the well-known names count. */
function isNamedMetadata(host: string, url: URL, allowed: readonly string[]): boolean {
  const saysSo = isIP(host) !== 0 || metadataNames.includes(host.toLowerCase())
  return saysSo && isAllowed(host, url, allowed)
}

/** By name as written, with or without the port. */
function isAllowed(host: string, url: URL, allowed: readonly string[]): boolean {
  const names = [host, url.host].map((name) => name.toLowerCase())
  return allowed.some((entry) => names.includes(entry.trim().toLowerCase()))
}
