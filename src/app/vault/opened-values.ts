/** What a call or a command is given: with its secrets, sealed or by name, opened; and which values these are. */
import {
  type Address,
  isSealed,
  isSecretReference,
  type Secretive,
  secretsNamedIn,
} from '../../core/job/handler.ts'
import { secretSlot } from '../handler/handler-options.ts'
import { openSecrets, type VaultParts } from './open-secrets.ts'

export interface Opened<Value> {
  readonly value: Value
  readonly secrets: readonly string[]
}

export async function openedValues(
  values: Secretive,
  job: string,
  kind: 'headers' | 'env',
  parts: VaultParts,
): Promise<Opened<Record<string, string>>> {
  const named = await openSecrets(secretsNamedIn(values), parts)
  const plain = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const
    const opened = isSealed(value)
      ? parts.secrets.open(value, secretSlot(job, kind, name))
      : (named.get(value.secret) ?? '')
    return [name, opened] as const
  })
  return {
    value: Object.fromEntries(plain),
    secrets: plain.flatMap(([name, value]) => (typeof values[name] === 'string' ? [] : [value])),
  }
}

export async function openedAddress(url: Address, parts: VaultParts): Promise<Opened<string>> {
  if (typeof url === 'string') return { value: url, secrets: [] }
  return secretAddress((await openSecrets([url.secret], parts)).get(url.secret) ?? '')
}

export function secretAddress(value: string): Opened<string> {
  return { value, secrets: [value, ...partsOf(value)] }
}

/** Shorter parts of an address are words like any other. */
const shortestPart = 12

/** A server repeats what it was asked for, which is never the whole URL. */
function partsOf(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { pathname, search } = new URL(address)
  const asked = `${pathname}${search}`
  return [asked, ...asked.split(/[/?&=]/)].filter((part) => part.length >= shortestPart)
}

export async function openedBody(body: unknown, parts: VaultParts): Promise<Opened<unknown>> {
  const named = await openSecrets(secretsNamedIn(body), parts)
  if (named.size === 0) return { value: body, secrets: [] }
  return { value: withSecrets(body, named), secrets: [...named.values()] }
}

function withSecrets(value: unknown, named: ReadonlyMap<string, string>): unknown {
  if (isSecretReference(value)) return named.get(value.secret)
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, named))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withSecrets(item, named)]))
}
