/** Tokens made by hand, bit by bit, as no library would make them. */
import { createHmac } from 'node:crypto'
import { SigningKeys } from '../../src/app/access/signing-keys.ts'
import { secret } from './api-under-test.ts'

export type Json = Readonly<Record<string, unknown>>

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** As OwnTokens writes it. */
export const goodHeader: Json = { alg: 'HS256', typ: 'JWT', kid: new SigningKeys([secret]).current.kid }

/** The claims of a token. */
export function claimsOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json
}

/** Signed with the real secret unless another key is given: then nothing but the header and the claims can be wrong. */
export function forged(
  header: Json | string,
  claims: Json | string,
  { key = secret, hash = 'sha256' }: { key?: string | Buffer; hash?: string } = {},
): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}

/** Nobody has signed it. */
export function unsigned(header: Json, claims: Json, signature = ''): string {
  return `${part(header)}.${part(claims)}.${signature}`
}

export function without(claims: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))
}
