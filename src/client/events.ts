/**
 * Live events as an iterator that outlives its connections: one that breaks is opened again, from the last event that was
 * seen; where the server cannot go on from there it says so, and that is an event, too.
 */
import { EvertickError } from '../core/error.ts'
import type { Requests } from './call.ts'
import type { LiveEvent } from './contract.ts'
import { type Frame, frames } from './event-frames.ts'
import { pause } from './pause.ts'
import { LostConnection, ProblemError, problemOf } from './problem.ts'

/** `reset`: too much has happened since; fetch anew whatever is shown. `eventId` is for `lastEventId`. */
export type ClientEvent = (LiveEvent | { readonly type: 'reset' }) & { readonly eventId: string }

export interface EventsOptions {
  /** Ends the iterator. */
  readonly signal?: AbortSignal
  /** Go on after this one. @default from now on */
  readonly lastEventId?: string
  /** Told when a connection is made, and when it is lost; a try that fails changes nothing. */
  readonly onConnection?: (connected: boolean) => void
}

const firstPauseMs = 250
const longestPauseMs = 30_000
/** A server is heard every 15 s; one that is silent for longer is gone, whatever TCP says. */
const silenceMs = 45_000

/** The first connection must succeed, or the reason is thrown; after that only a refusal ends it. */
export async function* liveEvents(
  requests: Requests,
  { signal, lastEventId, onConnection = () => {} }: EventsOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  let seen = lastEventId
  let failures = 0
  let known = false
  let connected = false
  const isOver = () => signal?.aborted === true
  while (!isOver()) {
    const connection = new AbortController()
    const ended = signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal])
    try {
      const body = await connect(requests, seen, ended)
      known = true
      failures = 0
      connected = true
      onConnection(true)
      for await (const frame of frames(body, { silenceMs, signal: ended })) {
        if (frame.id !== null) seen = frame.id
        const event = eventOf(frame, seen ?? '')
        if (event !== null) yield event
      }
    } catch (error) {
      if (isOver()) return
      if (!known || !isPassing(error)) throw error
    } finally {
      // Also if the reader stops early.
      connection.abort()
      if (connected) onConnection(false)
      connected = false
    }
    failures += 1
    await pause(backOff(failures), signal).catch(() => {})
  }
}

async function connect(
  requests: Requests,
  seen: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = seen === undefined ? {} : { 'last-event-id': seen }
  const response = await requests.open('GET /events', { headers }, signal)
  if (!response.ok || response.body === null) throw problemOf(response, await response.text())
  return response.body
}

function eventOf({ event, data }: Frame, eventId: string): ClientEvent | null {
  if (event === 'reset') return { type: 'reset', eventId }
  return data === null ? null : { ...(JSON.parse(data) as LiveEvent), eventId }
}

/** Whether the error may pass by itself; an invalid token does not. */
function isPassing(error: unknown): boolean {
  if (error instanceof LostConnection) return true
  if (error instanceof ProblemError) return error.kind === 'unavailable' || error.code === 'not_running'
  return !(error instanceof EvertickError)
}

/** Half of it is random, so that many clients do not reconnect at once. */
function backOff(failures: number): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
  return full / 2 + (Math.random() * full) / 2
}
