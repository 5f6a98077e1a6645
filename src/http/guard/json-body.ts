/** The body of a request, read with limits: size, depth, and no key that reaches into a prototype. */
import { EvertickError } from '../../core/error.ts'

export const maxBodyBytes = 2 * 1_048_576
const maxDepth = 64
const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])

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
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return ''
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    // Not every client says beforehand how much will come.
    if (size > maxBytes) throw tooLarge(maxBytes)
    pieces.push(piece)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
  } catch {
    throw new EvertickError('invalid_input', 'The body is no UTF-8.', { field: 'body' })
  }
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
