/** The body of a request, read with limits: bytes, elements, depth, and no key that reaches into a prototype. */
import { EvertickError } from '../../core/error.ts'
import { messageOf } from '../../core/unknown-value.ts'

/** The size of a body. `elements` counts its values at any depth: one with a key counts as five, which is what it costs. */
export interface BodyLimit {
  readonly bytes: number
  readonly elements: number
}

/** Each route names one of these. A body is walked several times: by its checks, for its keys, on its way to the database. */
export const bodyLimits = {
  /** A few fields, or none. */
  little: { bytes: 8_192, elements: 100 },
  /** A list of names. */
  names: { bytes: 65_536, elements: 500 },
  /** The output of a program, as plain text. */
  text: { bytes: 1_048_576, elements: 0 },
  /** A job, or data for one. */
  payload: { bytes: 2 * 1_048_576, elements: 50_000 },
} as const satisfies Record<string, BodyLimit>

const maxDepth = 64
const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A body of this size is handled in its own turn of the event loop. */
const largeText = 65_536
const nameWeight = 4

/** Undefined if there is no body. `rest` ends a slice of long work. */
export async function readJson(
  request: Request,
  { bytes, elements }: BodyLimit,
  rest: () => Promise<void>,
): Promise<unknown> {
  const text = await readText(request, bytes)
  if (text.trim() === '') return undefined
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new EvertickError('unsupported_media_type', 'The body must be JSON.', {
      next: 'Send it with content-type: application/json.',
    })
  }
  const isLarge = text.length > largeText
  if (isLarge) await rest()
  refuseShape(text, elements)
  const value = parsed(text)
  refusePrototypeKeys(value, [])
  if (isLarge) await rest()
  return value
}

/** As it is, whatever it is: the output of a program need not be UTF-8. */
export async function readPlainText(request: Request, { bytes }: BodyLimit): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, bytes))
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  try {
    return utf8.decode(await readBytes(request, maxBytes))
  } catch (error) {
    if (error instanceof EvertickError) throw error
    throw new EvertickError('invalid_input', 'The body is not valid UTF-8.', { field: 'body' })
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { method, headers } = request
  const length = headers.get('content-length')
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes)
  // They have no body, and on Node's server reading `body` creates a second request, a stream and a signal.
  if (method === 'GET' || method === 'HEAD') return new Uint8Array()
  const isAnnounced = length !== null && /^\d+$/.test(length) && !headers.has('transfer-encoding')
  return isAnnounced ? await readAnnounced(request, maxBytes) : await readPieces(request, maxBytes)
}

/**
 * At once: a server passes on no more than was announced. Reading a stream was an eighth of the cost of a small POST. The
 * bytes are still counted, since a mount may pass on a request that it has made itself.
 */
async function readAnnounced(request: Request, maxBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  return bytes
}

/** Not every client announces the length of its body. */
async function readPieces(request: Request, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<Uint8Array> | null = request.body
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new EvertickError('invalid_input', `The body is not valid JSON: ${messageOf(error)}.`, {
      field: 'body',
    })
  }
}

/** Before it is parsed: recursion over a deep value would overflow the stack, and a wide value takes long. */
function refuseShape(text: string, maxElements: number): void {
  let depth = 0
  let elements = 0
  let quoted = false
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index]
    if (quoted) {
      if (letter === '\\') index += 1
      else if (letter === '"') quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === ',') elements += 1
    else if (letter === ':') elements += nameWeight
    else if (letter === '{' || letter === '[') {
      depth += 1
      elements += 1
    } else if (letter === '}' || letter === ']') depth -= 1
    if (depth > maxDepth) throw tooMuch(`The body is nested more than ${maxDepth} levels deep.`)
    if (elements > maxElements) throw tooMuch(`The body has more than ${maxElements} elements.`)
  }
}

function refusePrototypeKeys(value: unknown, path: string[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    path.push(key)
    if (prototypeKeys.has(key)) {
      throw new EvertickError('invalid_input', `The key "${key}" is not allowed.`, { field: path.join('.') })
    }
    refusePrototypeKeys(inner, path)
    path.pop()
  }
}

function tooLarge(maxBytes: number): EvertickError {
  return tooMuch(`The body is larger than ${maxBytes} bytes.`)
}

function tooMuch(message: string): EvertickError {
  return new EvertickError('payload_too_large', message, { field: 'body', next: 'Send less at once.' })
}
