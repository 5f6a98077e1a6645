/** How an execution of a job is done: by a function that a node registers, or by what stands in the job itself. */

/** A value that nobody reads back: only the node that runs the job opens it. */
export interface Sealed {
  readonly sealed: string
}

/** The name of a secret in the vault: the node that runs the job reads it when it runs. */
export interface SecretReference {
  readonly secret: string
}

/** A URL, or the name of a secret that is one: some addresses are all that a caller needs. */
export type Address = string | SecretReference

/** By header or variable; plain text where the name does not sound like a secret. */
export type Secretive = Readonly<Record<string, string | Sealed | SecretReference>>

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type HttpMethod = (typeof httpMethods)[number]

export interface FunctionHandler {
  readonly type: 'function'
  readonly name: string
}

export interface HttpHandler {
  readonly type: 'http'
  readonly url: Address
  /** null: POST where something is sent, else GET. */
  readonly method: HttpMethod | null
  readonly headers: Secretive
  /** Text, or a value that is sent as JSON, with secrets by name anywhere in it. null: the execution's input, if it has one. */
  readonly body: unknown
  readonly expect: ExpectedStatus
}

export interface CommandHandler {
  readonly type: 'command'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Secretive
  readonly cwd: string | null
}

/** Jobs that somebody else keeps: what the answer of a URL lists is brought to be here. */
export interface SourceHandler {
  readonly type: 'source'
  readonly url: Address
  readonly headers: Secretive
  /** Where the list is in the answer, as `data.schedules`. null: where answers usually have it. */
  readonly items: string | null
  /** Fields of a job, each by the path of its value in an entry. */
  readonly mapping: Readonly<Record<string, string>>
  /** What each of its jobs has, unless its entry says otherwise. */
  readonly job: Readonly<Record<string, unknown>>
  /** Goes before the names of its jobs. */
  readonly prefix: string
  /** More never go at once. null: half of those known. */
  readonly maxRemovals: number | null
}

/** Runs elsewhere, and says so: each execution of its job waits for the check-in of its tick. */
export interface CheckInHandler {
  readonly type: 'check_in'
  readonly withinMs: number
  /** A check-in that comes so much too early, by another clock, still counts for the tick to come. */
  readonly earlyMs: number
}

/** Tells somebody outside what has happened: each execution of its job is one delivery. Made as a webhook, never as a job. */
export interface WebhookHandler {
  readonly type: 'webhook'
  readonly format: WebhookFormat
  /** As it is shown: where `address` has the whole, its origin and `/…`. */
  readonly url: Address
  /** The whole, where whoever knows the address may write to it, and it has no name in the vault. */
  readonly address: Sealed | null
  /** `execution.failed`, `execution.*` or `*`. */
  readonly events: readonly string[]
  /** Names of jobs, in which `*` stands for any text; empty: all. */
  readonly jobs: readonly string[]
  /** A job that it hears of has one of these; empty: all. */
  readonly tags: readonly string[]
  readonly include: readonly WebhookExtra[]
  readonly headers: Secretive
  /** The text of what is sent, with its placeholders; null but of a template. */
  readonly body: string | null
  /** Where its dashboard is, for the address of what a message is about; null: messages have none. */
  readonly link: string | null
  /** Each signs; the newest first. Only the standard's format is signed. */
  readonly secrets: readonly WebhookSecret[]
}

/** How a message is written for its receiver. */
export const webhookFormats = ['standard', 'slack', 'template', 'ping', 'mail'] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** What is told only where a webhook asks for it. */
export const webhookExtras = ['result'] as const
export type WebhookExtra = (typeof webhookExtras)[number]

export interface WebhookSecret {
  readonly key: Sealed
  /** Until when it signs after a rotation; null: it is the present one. */
  readonly until: number | null
}

const firstFormat = { format: 'standard', address: null, body: null } as const

/** As it is stored, one that was made before webhooks had formats says nothing of them. */
export function wholeHandler(stored: HandlerSpec): HandlerSpec {
  if (stored.type !== 'webhook') return stored
  // What is there keeps its place, or it would be written anew.
  return { ...stored, ...firstFormat, ...stored }
}

export type HandlerSpec =
  | FunctionHandler
  | HttpHandler
  | CommandHandler
  | SourceHandler
  | CheckInHandler
  | WebhookHandler

/** 200, '2xx', '200-204', or a list of these. */
export type ExpectedStatus = number | string | readonly (number | string)[]

/** The name of a function must not begin like this, or it could pass for the right to run a command. */
const ownMark = '@'

export const httpKey = `${ownMark}http`
export const sourceKey = `${ownMark}source`
export const checkInKey = `${ownMark}check_in`
/** An index of the jobs names it, too. */
export const webhookKey = `${ownMark}webhook`

export function commandKey(command: string): string {
  return `${ownMark}command:${command}`
}

/** What a node must have registered to run it. */
export function handlerKey(
  handler:
    | FunctionHandler
    | { readonly type: 'http' | 'source' | 'check_in' | 'webhook' }
    | Pick<CommandHandler, 'type' | 'command'>,
): string {
  switch (handler.type) {
    case 'function':
      return handler.name
    case 'http':
      return httpKey
    case 'source':
      return sourceKey
    case 'check_in':
      return checkInKey
    case 'webhook':
      return webhookKey
    case 'command':
      return commandKey(handler.command)
  }
}

/** As its user writes it: what is not given is left out. */
type WrittenHandler =
  | FunctionHandler
  | {
      readonly type: 'http'
      readonly url: Address
      readonly method?: string | undefined
      readonly body?: unknown
    }
  | { readonly type: 'command'; readonly command: string; readonly args?: readonly string[] | undefined }
  | { readonly type: 'source' | 'webhook'; readonly url: Address }
  | { readonly type: 'check_in'; readonly within: number | string }

/** One line: the name of the function, the request, the source, or the command. */
export function handlerText(handler: WrittenHandler): string {
  switch (handler.type) {
    case 'function':
      return handler.name
    case 'http':
      return `${handler.method ?? (handler.body === undefined ? 'GET' : 'POST')} ${addressText(handler.url)}`
    case 'source':
      return `jobs from ${addressText(handler.url)}`
    case 'check_in':
      return `a check-in within ${handler.within}`
    case 'webhook': {
      const to = addressText(handler.url)
      return to.startsWith('mailto:') ? to : `POST ${to}`
    }
    case 'command':
      return [handler.command, ...(handler.args ?? [])].map(quoted).join(' ')
  }
}

export function addressText(url: Address): string {
  return typeof url === 'string' ? url : `the URL in the secret ${url.secret}`
}

function quoted(word: string): string {
  return /^[\w.:/@=,+-]+$/.test(word) ? word : JSON.stringify(word)
}

export function isOwnKey(name: string): boolean {
  return name.startsWith(ownMark)
}

export function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string'
}

export function isSecretReference(value: unknown): value is SecretReference {
  return (
    typeof value === 'object' &&
    value !== null &&
    'secret' in value &&
    typeof value.secret === 'string' &&
    Object.keys(value).length === 1
  )
}

/** Which secrets of the vault a handler names, or a part of one, at any depth. */
export function secretsNamedIn(whole: unknown): string[] {
  const named = new Set<string>()
  const values = [whole]
  // It grows while it is read: a body may be deeper than calls can be.
  for (const value of values) {
    if (isSecretReference(value)) named.add(value.secret)
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) values.push(part)
  }
  return [...named]
}
