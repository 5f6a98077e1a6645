/** Who asks, as seen from before our own proxies. Anybody may send their headers: only those of a listed proxy count. */
import { type BlockList, isIP } from 'node:net'
import { isListed } from '../../app/config/address-list.ts'

/** What the server that took the request knows of it. A mount has asked its own framework. */
export interface From {
  readonly address?: string | undefined
  readonly scheme?: string | undefined
  readonly host?: string | undefined
}

export interface Visit {
  readonly address: string
  readonly scheme: string
  /** The name, and the port where it is not the usual one, that the caller has asked for. */
  readonly host: string
}

export function visitOf(request: Request, from: From, proxies: BlockList): Visit {
  const { headers, url } = request
  const direct = {
    address: from.address ?? 'unknown',
    scheme: from.scheme ?? (url.startsWith('https:') ? 'https' : 'http'),
    host: from.host ?? headers.get('host') ?? '',
  }
  if (!isListed(proxies, direct.address)) return direct
  const scheme = listOf(headers, 'x-forwarded-proto').at(-1)?.toLowerCase()
  const host = listOf(headers, 'x-forwarded-host').at(-1)
  return {
    address: firstBeyond(proxies, direct.address, listOf(headers, 'x-forwarded-for')),
    scheme: scheme === 'https' || scheme === 'http' ? scheme : direct.scheme,
    host: host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : direct.host,
  }
}

export function originOf({ scheme, host }: Visit): string {
  return `${scheme}://${host}`
}

/** Each proxy appends to the list: what is left of the first stranger, that stranger may have made up. */
function firstBeyond(proxies: BlockList, peer: string, hops: string[]): string {
  let address = peer
  while (isListed(proxies, address)) {
    const next = hops
      .pop()
      ?.replace(/^\[(.+)\](?::\d+)?$/, '$1')
      .replace(/^([\d.]+):\d+$/, '$1')
    if (next === undefined || isIP(next) === 0) break
    address = next
  }
  return address
}

function listOf(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
