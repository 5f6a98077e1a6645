/** How an execution of a job is done: by a function that a node registers, or by what stands in the job itself. */

/** A value that nobody reads back: only the node that runs the job opens it. */
export interface Sealed {
  readonly sealed: string
}

/** By header or variable; plain text where the name does not sound like a secret. */
export type Secretive = Readonly<Record<string, string | Sealed>>

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type HttpMethod = (typeof httpMethods)[number]

export interface FunctionHandler {
  readonly type: 'function'
  readonly name: string
}

export interface HttpHandler {
  readonly type: 'http'
  readonly url: string
  /** null: POST where something is sent, else GET. */
  readonly method: HttpMethod | null
  readonly headers: Secretive
  /** Text, or a value that is sent as JSON. null: the execution's input, if it has one. */
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

export type HandlerSpec = FunctionHandler | HttpHandler | CommandHandler

/** 200, '2xx', '200-204', or a list of these. */
export type ExpectedStatus = number | string | readonly (number | string)[]

/** The name of a function must not begin like this, or it could pass for the right to run a command. */
const ownMark = '@'

export const httpKey = `${ownMark}http`

export function commandKey(command: string): string {
  return `${ownMark}command:${command}`
}

/** What a node must have registered to run it. */
export function handlerKey(
  handler: FunctionHandler | { readonly type: 'http' } | Pick<CommandHandler, 'type' | 'command'>,
): string {
  switch (handler.type) {
    case 'function':
      return handler.name
    case 'http':
      return httpKey
    case 'command':
      return commandKey(handler.command)
  }
}

/** As its user writes it: what is not given is left out. */
type WrittenHandler =
  | FunctionHandler
  | {
      readonly type: 'http'
      readonly url: string
      readonly method?: string | undefined
      readonly body?: unknown
    }
  | { readonly type: 'command'; readonly command: string; readonly args?: readonly string[] | undefined }

/** One line: the name of the function, the request, or the command. */
export function handlerText(handler: WrittenHandler): string {
  switch (handler.type) {
    case 'function':
      return handler.name
    case 'http':
      return `${handler.method ?? (handler.body === undefined ? 'GET' : 'POST')} ${handler.url}`
    case 'command':
      return [handler.command, ...(handler.args ?? [])].map(quoted).join(' ')
  }
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
