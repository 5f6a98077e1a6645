/** The handler of a job as its user writes it: checked once, its secrets sealed, into the spec that is stored. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import { defaultExpect, expectedStatus } from '../../core/job/expected-status.ts'
import {
  type Address,
  type CommandHandler,
  type ExpectedStatus,
  type HandlerSpec,
  type HttpMethod,
  isOwnKey,
  isSealed,
  type Secretive,
  type SecretReference,
  secretsNamedIn,
} from '../../core/job/handler.ts'
import { isSecretName, isSecretValue, redacted } from '../../core/job/secret-name.ts'
import { vaultName, vaultNameRule } from '../../core/job/vault-name.ts'
import { storable } from '../../core/payload.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { allowVariable, refusedVariable } from '../../handlers/command-environment.ts'
import { parseTarget } from '../../outbound/outbound-target.ts'
import { refuseBadName } from '../config/call-options.ts'
import { checked } from '../config/checked.ts'
import { type SourceHandlerOptions, sourceSpec } from '../source/source-options.ts'
import type { Secrets } from '../vault/secrets.ts'
import { handlerShape } from './handler-shape.ts'

/** A function that some node registers. */
export interface FunctionHandlerOptions {
  readonly type: 'function'
  readonly name: string
}

/** A call of a URL. */
export interface HttpHandlerOptions {
  readonly type: 'http'
  /** `{ secret: name }` where the address itself is one. */
  readonly url: string | SecretReference
  /** @default 'POST' where there is a body or an input, else 'GET' */
  readonly method?: HttpMethod
  /** `{ secret: name }` reads the vault. Other values of names such as Authorization are sealed, and never shown again. @default none */
  readonly headers?: Readonly<Record<string, string | SecretReference>>
  /** Text, or a value to send as JSON, with `{ secret: name }` anywhere in it. @default the execution's input */
  readonly body?: unknown
  /** Which statuses count as done: 200, '2xx', '200-204', or a list. @default '2xx' */
  readonly expect?: ExpectedStatus
}

/** A program with its arguments; no shell is between. */
export interface CommandHandlerOptions {
  readonly type: 'command'
  /** An absolute path, which `EVERTICK_ALLOW_COMMANDS` of the node must name. */
  readonly command: string
  /** @default none */
  readonly args?: readonly string[]
  /**
   * Beside what every command is given; `allowCommandEnv` must name each. `{ secret: name }` reads the vault; other values of
   * names such as API_TOKEN are sealed. @default none
   */
  readonly env?: Readonly<Record<string, string | SecretReference>>
  /** An absolute folder. @default '/' */
  readonly cwd?: string
}

/** Nothing runs here: the job runs elsewhere, and calls its address when it is done. */
export interface CheckInHandlerOptions {
  readonly type: 'check_in'
  /** How long after its instant a tick waits for its check-in. */
  readonly within: Duration
  /** How much too early a check-in may come, by another clock. @default '10s' */
  readonly early?: Duration
}

export type HandlerOptions =
  | FunctionHandlerOptions
  | HttpHandlerOptions
  | CommandHandlerOptions
  | SourceHandlerOptions
  | CheckInHandlerOptions

/** What exec takes for arguments and environment together is far more on every system. */
const mostBytes = 65_536

const known = [...new Set(handlerShape.options.flatMap(({ shape }) => Object.keys(shape)))]

export interface HandlerContext {
  /** The job's name: a value that is sealed for one job cannot be opened for another. */
  readonly job: string
  readonly secrets: Pick<Secrets, 'seal'>
  /** Names of variables that a command may be given. */
  readonly allowCommandEnv: readonly string[]
  /** The limit of a body, as JSON. */
  readonly maxPayloadBytes: number
  /** What an edit replaces, and takes redacted values from. */
  readonly before: HandlerSpec | null
}

export function handlerSpec(written: unknown, context: HandlerContext): HandlerSpec {
  if (typeof written === 'string') return functionSpec(written)
  const what = `The handler of job "${context.job}"`
  const given = checked(
    z.strictObject({ handler: handlerShape }),
    { handler: written },
    'invalid_definition',
    what,
    known,
  )
  const { handler } = given
  if (handler.type === 'function') return functionSpec(handler.name)
  if (handler.type === 'command') return commandSpec(handler, context)
  if (handler.type === 'http') return httpSpec(handler, context)
  if (handler.type === 'check_in') return checkInSpec(handler)
  const headers = sealedHeaders(handler.headers ?? {}, handler.url, context)
  return sourceSpec(handler, headers, (inner) => handlerSpec(inner, { ...context, secrets: noSecrets }))
}

/** What a source gives to its jobs is kept as it is written. */
const noSecrets: HandlerContext['secrets'] = {
  seal: () => {
    throw invalid(
      'handler.job.handler',
      'The jobs of a source cannot have a secret in their handler.',
      "Name it, as { secret: 'name' }, and set it with `evertick secrets set`.",
    )
  },
}

function functionSpec(name: string): HandlerSpec {
  refuseBadName(name, 'handler')
  if (isOwnKey(name)) throw invalid('handler', `"${name}" is not a valid function name: it begins with @.`)
  return { type: 'function', name }
}

type Given<Type> = Extract<z.output<typeof handlerShape>, { type: Type }>

function httpSpec(given: Given<'http'>, context: HandlerContext): HandlerSpec {
  const { method = null, headers = {}, expect = defaultExpect } = given
  const body = storable(given.body, 'handler.body', context.maxPayloadBytes) ?? null
  const wrong = secretsNamedIn(body).find((name) => !vaultName.test(name))
  if (wrong !== undefined)
    throw invalid('handler.body', `"${wrong}" is not a valid name of a secret.`, vaultNameRule)
  expectedStatus(expect)
  if (body !== null && (method === 'GET' || method === 'HEAD')) {
    throw invalid('handler.body', `${method} takes no body.`, 'Use POST, PUT or PATCH.')
  }
  return {
    type: 'http',
    url: given.url,
    method,
    headers: sealedHeaders(headers, given.url, context),
    body,
    expect,
  }
}

/** Clocks that are further apart are wrong. */
const longestEarlyMs = 3_600_000

function checkInSpec({ within, early = '10s' }: Given<'check_in'>): HandlerSpec {
  const withinMs = parseDuration(within, 'handler.within')
  const earlyMs = parseDuration(early, 'handler.early')
  if (withinMs < 1_000) throw invalid('handler.within', 'within must be at least 1s.')
  if (earlyMs > longestEarlyMs) throw invalid('handler.early', 'early must be at most 1h.')
  return { type: 'check_in', withinMs, earlyMs }
}

function sealedHeaders(headers: Written, url: Address, context: HandlerContext): Secretive {
  refuseAddress(url)
  for (const name of Object.keys(headers)) refuseHeader(name, Object.keys(headers))
  const { before } = context
  const calls = before?.type === 'http' || before?.type === 'source'
  const same = calls && isSameOrigin(before.url, url) ? before.headers : null
  return sealedValues(headers, { kind: 'headers', before: same, context: sealingFor(url, context) })
}

function commandSpec(given: Given<'command'>, context: HandlerContext): HandlerSpec {
  const { command, args = [], env = {}, cwd = null } = given
  const texts = [...args, ...Object.values(env)].filter((value) => typeof value === 'string')
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (size > mostBytes) {
    throw invalid('handler.args', `Arguments and env have ${size} bytes; they may have at most ${mostBytes}.`)
  }
  const { before, allowCommandEnv } = context
  const refused = refusedVariable(Object.keys(env), allowCommandEnv)
  if (refused !== null) {
    throw invalid(`handler.env.${refused}`, `This node does not let a job set ${refused}.`, allowVariable)
  }
  const same = before?.type === 'command' && isUnchanged(before, given) ? before.env : null
  const sealed = sealedValues(env, { kind: 'env', before: same, context })
  return { type: 'command', command, args, env: sealed, cwd }
}

/** A program is told by all of these where to put what it is given: a proxy, a file, a server. */
function isUnchanged(
  before: CommandHandler,
  { command, args = [], env = {}, cwd }: Given<'command'>,
): boolean {
  const shown = Object.entries(before.env).map(([name, value]) => [name, isSealed(value) ? redacted : value])
  return isDeepStrictEqual(
    [before.command, before.args, before.cwd, Object.fromEntries(shown)],
    [command, args, cwd ?? null, env],
  )
}

/** These say how a message is framed, or are written by every call itself. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|accept-encoding|idempotency-key|traceparent|evertick-.*|webhook-.*)$/i

export function refuseHeader(name: string, all: readonly string[]): void {
  const field = `handler.headers.${name}`
  if (ownHeaders.test(name)) throw invalid(field, `The call itself sets the header ${name}.`, 'Leave it out.')
  const twice = all.filter((other) => other.toLowerCase() === name.toLowerCase()).length > 1
  if (twice) throw invalid(field, `The header ${name} is given twice.`, 'Leave one of them out.')
}

export function refuseAddress(url: Address): void {
  if (typeof url === 'string') parseTarget(url)
}

/** Where an address is a secret, whoever sets that may change where it leads: it is the same as no other. */
export function isSameOrigin(one: Address, other: Address): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false
  return parseTarget(one).origin === parseTarget(other).origin
}

/** For the same reason no value is sealed for such an address. */
export function sealingFor(url: Address, { job, secrets }: SealContext): SealContext {
  if (typeof url === 'string') return { job, secrets }
  const seal = () => {
    const why = `A value in this handler would go wherever the secret "${url.secret}" leads.`
    throw invalid('handler.headers', why, 'Name a secret for it, too.')
  }
  return { job, secrets: { seal } }
}

type SealContext = Pick<HandlerContext, 'job' | 'secrets'>

/** As somebody writes them; a name of the vault stays one. */
type Written = Readonly<Record<string, string | SecretReference>>

/** A secret is given to what it was meant for: to another origin, or another command line, only by who knows it. */
export function sealedValues(
  given: Written,
  { kind, before, context }: { kind: 'headers' | 'env'; before: Secretive | null; context: SealContext },
): Secretive {
  const kept = new Map(Object.entries(before ?? {}).map(([name, value]) => [slotName(kind, name), value]))
  const sealed = (name: string, value: string | SecretReference): Secretive[string] => {
    if (typeof value !== 'string') return value
    if (value !== redacted) {
      const isSecret = isSecretName(name) || isSecretValue(value)
      return isSecret ? context.secrets.seal(value, secretSlot(context.job, kind, name)) : value
    }
    const old = kept.get(slotName(kind, name))
    if (isSealed(old)) return old
    const why = `${name} is ${redacted}, and no value is kept for ${goals[kind]}.`
    throw invalid(`handler.${kind}.${name}`, why, `Give the value of ${name} again.`)
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, sealed(name, value)]))
}

const goals = {
  headers: 'this address',
  env: 'this command with these arguments, variables and folder',
} as const

/** Where a sealed value belongs: moved elsewhere, it does not open. */
export function secretSlot(
  job: string,
  kind: 'headers' | 'env' | 'signing' | 'address',
  name: string,
): string {
  return [job, kind, slotName(kind, name)].join('\0')
}

function slotName(kind: 'headers' | 'env' | 'signing' | 'address', name: string): string {
  return kind === 'headers' ? name.toLowerCase() : name
}

function invalid(field: string, message: string, next?: string): EvertickError {
  return new EvertickError('invalid_definition', message, { field, ...(next === undefined ? {} : { next }) })
}
