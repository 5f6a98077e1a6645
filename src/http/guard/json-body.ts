/** The body of a request, read with limits: size, depth, and no key that reaches into a prototype. */
import { EvertickError } from '../../core/error.ts'

export const maxBodyBytes = 2 * 1_048_576
const maxDepth = 64
const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined where there is none. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes)
  if (text.trim() === '') return undefined
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new EvertickError('unsupported_media_type', 'The body must be JSON.', {
      next: 'Send it with content-type: application/json.',
    })
  }
  refuseDepth(text)
  return checkedKeys(parsed(text), '')
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const { method, headers } = request
  const length = headers.get('content-length')
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes)
  // Neither has one. On Node's server even to ask for `body` makes a second request, a stream and a signal.
  if (method === 'GET' || method === 'HEAD') return ''
  const isAnnounced = length !== null && /^\d+$/.test(length) && !headers.has('transfer-encoding')
  const bytes = isAnnounced ? await readAnnounced(request, maxBytes) : await readPieces(request, maxBytes)
  try {
    return utf8.decode(bytes)
  } catch {
    throw new EvertickError('invalid_input', 'The body is no UTF-8.', { field: 'body' })
  }
}

/**
 * At once: a server lets through no more than was announced. Through a stream this was an eighth of what a small POST
 * costs. Whoever hands over a request of its own making may be wrong, so that it is still counted.
 */
async function readAnnounced(request: Request, maxBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  return bytes
}

/** Not every client says beforehand how much will come. */
async function readPieces(request: Request, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
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
    throw new EvertickError('invalid_input', `The body is no JSON: ${(error as Error).message}.`, {
      field: 'body',
    })
  }
}

/** Before it is parsed: whoever walks a deep value by recursion would run out of stack. */
function refuseDepth(text: string): void {
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index]
    if (quoted) {
      if (letter === '\\') index += 1
      else if (letter === '"') quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') depth -= 1
    if (depth > maxDepth) {
      throw new EvertickError('payload_too_large', `The body is nested more than ${maxDepth} levels deep.`, {
        field: 'body',
      })
    }
  }
}

function checkedKeys(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const [key, inner] of Object.entries(value)) {
    const field = path === '' ? key : `${path}.${key}`
    if (prototypeKeys.has(key)) {
      throw new EvertickError('invalid_input', `The key "${key}" is not allowed.`, { field })
    }
    checkedKeys(inner, field)
  }
  return value
}

function tooLarge(maxBytes: number): EvertickError {
  return new EvertickError('payload_too_large', `The body is larger than ${maxBytes} bytes.`, {
    field: 'body',
    next: 'Send less at once.',
  })
}
