/** A client of the live events, for tests: reads what arrives and waits for what must come. */
import { until } from '../process/until.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventClient {
  /** Everything so far, as it came. */
  readonly text: () => string
  readonly events: () => ReceivedEvent[]
  readonly heartbeats: () => number
  /** The id from which it would go on. */
  readonly lastId: () => string
  readonly ended: () => boolean
  readonly close: () => Promise<void>
}

/** Resolves when the greeting is there. */
export async function readEvents(response: Response): Promise<EventClient> {
  if (response.status !== 200 || response.body === null) throw new Error(`Refused: ${await response.text()}`)
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const decoder = new TextDecoder()
  let text = ''
  let ended = false
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    ended = true
  })().catch(() => {
    ended = true
  })
  await until('the greeting', () => text.includes('retry: ') || ended)
  return {
    text: () => text,
    events: () => eventsIn(text),
    heartbeats: () => text.split(': heartbeat\n\n').length - 1,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    ended: () => ended,
    close: () => reader.cancel(),
  }
}

function eventsIn(text: string): ReceivedEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => new Map(frame.split('\n').map((line) => line.split(/: (.*)/s) as [string, string])))
    .filter((fields) => fields.has('data'))
    .map((fields) => ({
      id: fields.get('id') ?? '',
      event: fields.get('event') ?? 'message',
      data: JSON.parse(fields.get('data') ?? '') as Record<string, unknown>,
    }))
}
