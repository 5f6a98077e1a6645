/** The shape of a handler as somebody writes it. What its parts mean together is checked where it becomes a spec. */
import { z } from 'zod'
import { httpMethods } from '../../core/job/handler.ts'
import { vaultName } from '../../core/job/vault-name.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { isVariableName } from '../../handlers/command-environment.ts'

const longestPath = 180
const longestValue = 8_192

/** A NUL ends a text for the system, and half of a character becomes another one. */
const exact = z
  .string()
  .max(longestValue)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'contains a NUL or half a character')
const absolute = z
  .string()
  .max(longestPath)
  .refine(isPlainPath, 'must be an absolute path without "..", "//" or control characters')
const headerName = z
  .string()
  .max(100)
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not a valid header name')
const headerValue = z
  .string()
  .max(longestValue)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'contains a character that no header may have')
/** The name of a secret in the vault, in place of a value. */
export const secretReference = z
  .strictObject({
    secret: z
      .string()
      .regex(
        vaultName,
        'is not a valid name of a secret: it has letters, digits, dots, dashes and underscores, at most 100',
      ),
  })
  .describe('A secret of the vault, by its name')
const orSecret = <Value extends z.ZodType>(value: Value) =>
  z.union([value, secretReference], { error: 'must be text, or { secret: name }' })
export const headers = z.record(headerName, orSecret(headerValue))
export const address = orSecret(z.string().min(1).max(2_048))
/** Where it becomes a spec, it is parsed. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a template of text is not a schema
const duration = z.union([z.string().min(1).max(100), z.number()]) as z.ZodType<Duration, string | number>
const status = z.union([z.int().min(100).max(599), z.string().max(20)])

/** The HTTP API takes the same. */
export const handlerShape = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('function'), name: z.string().min(1).max(200) }),
  z.strictObject({
    type: z.literal('http'),
    url: address,
    method: z.enum(httpMethods).optional(),
    headers: headers.optional(),
    body: z.unknown().optional(),
    expect: z.union([status, z.array(status).min(1).max(20)]).optional(),
  }),
  z.strictObject({
    type: z.literal('source'),
    url: address,
    headers: headers.optional(),
    items: z.string().min(1).max(200).optional(),
    mapping: z.record(z.string().min(1).max(200), z.string().min(1).max(200)).optional(),
    job: z.record(z.string(), z.unknown()).optional(),
    prefix: z.string().max(50).optional(),
    maxRemovals: z.int().min(0).optional(),
  }),
  z.strictObject({
    type: z.literal('check_in'),
    within: duration,
    early: duration.optional(),
  }),
  z.strictObject({
    type: z.literal('command'),
    command: absolute,
    args: z.array(exact).max(256).optional(),
    env: z
      .record(z.string().refine(isVariableName, 'is not a valid variable name'), orSecret(exact))
      .optional(),
    cwd: absolute.optional(),
  }),
])

export function isPlainPath(path: string): boolean {
  return /^(?:\/[^/\p{Cc}]+)+$|^\/$/u.test(path) && !/\/\.{1,2}(?:\/|$)/.test(path) && path.isWellFormed()
}
