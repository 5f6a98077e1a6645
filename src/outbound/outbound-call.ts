/**
 * The one way out: every HTTP call that Evertick makes on somebody's behalf. It connects to the address that was
 * checked, follows no redirect, and reads no more and waits no longer than it was told.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { EvertickError } from '../core/error.ts'
import { codeOf } from '../core/unknown-value.ts'
import { type Resolve, systemResolve, type Target, targetOf, unreachable } from './outbound-target.ts'

export interface OutboundCall {
  readonly url: string | URL
  /** @default 'GET' */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Hosts that may lie in a private network, as `host` or `host:port`. @default none */
  readonly allowPrivateHosts?: readonly string[]
  /** For the whole call, the answer's last byte included. @default 30,000 */
  readonly timeoutMs?: number
  /** @default 10 MiB */
  readonly maxBytes?: number
  /** What becomes of an answer that is longer. @default 'refuse' */
  readonly longAnswer?: 'refuse' | 'cut'
  readonly signal?: AbortSignal
  /** @default the system's */
  readonly resolve?: Resolve
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  /** Whether there was more of the body. */
  readonly cut: boolean
}

const defaultTimeoutMs = 30_000
const defaultMaxBytes = 10 * 1024 * 1024

export async function callOutside(call: OutboundCall): Promise<OutboundAnswer> {
  const { allowPrivateHosts = [], resolve = systemResolve, timeoutMs = defaultTimeoutMs } = call
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal])
  const target = await aborting(signal, targetOf(call.url, allowPrivateHosts, resolve), call.url, timeoutMs)
  try {
    const answer = await send(call, target, signal)
    return { status: answer.statusCode ?? 0, headers: answer.headers, ...(await read(answer, target, call)) }
  } catch (error) {
    if (error instanceof EvertickError) throw error
    throw unreachable(target.url, timeout.aborted ? `no answer in ${timeoutMs} ms` : wordsOf(error), error)
  }
}

/** The timeout covers a resolver that hangs. */
async function aborting<T>(
  signal: AbortSignal,
  work: Promise<T>,
  url: string | URL,
  timeoutMs: number,
): Promise<T> {
  let stop: () => void = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(unreachable(new URL(url), `no answer in ${timeoutMs} ms, or the call was cancelled`))
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function send(call: OutboundCall, target: Target, signal: AbortSignal): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body } = call
  const { url, address, family } = target
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return await new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        // No connection is reused: each belongs to its own check.
        agent: false,
        // The name is not resolved a second time: by then it could point elsewhere.
        lookup: (_name, options, callback) =>
          options.all === true ? callback(null, [{ address, family }]) : callback(null, address, family),
        signal,
      },
      resolve,
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

async function read(
  answer: IncomingMessage,
  { url }: Target,
  call: OutboundCall,
): Promise<Pick<OutboundAnswer, 'body' | 'cut'>> {
  const { maxBytes = defaultMaxBytes, longAnswer = 'refuse' } = call
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  const parts: Buffer[] = []
  let size = 0
  try {
    if (encoding !== 'identity') throw unreachable(url, 'the answer is compressed, which was not requested')
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length
      parts.push(part)
      if (size <= maxBytes) continue
      if (longAnswer === 'cut') return { body: Buffer.concat(parts).subarray(0, maxBytes), cut: true }
      throw unreachable(url, `the answer is longer than ${maxBytes} bytes`)
    }
  } finally {
    answer.destroy()
  }
  // Node ends a body that was cut off with an error; this says so in words.
  if (!answer.complete) throw unreachable(url, 'the answer was cut off')
  return { body: Buffer.concat(parts), cut: false }
}

/** A code such as ECONNREFUSED: messages of the network may repeat what was sent. */
function wordsOf(error: unknown): string {
  return codeOf(error) ?? 'the connection failed'
}
