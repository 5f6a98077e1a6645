/** Long work as a stream: how far it is, and at last its result, as server-sent events or as lines of JSON. */
import { EvertickError } from '../core/error.ts'
import { type Problem, problemOf, unforeseen } from './problem.ts'

const streamTypes = ['text/event-stream', 'application/x-ndjson'] as const
export type StreamType = (typeof streamTypes)[number]

/** The kind of stream that a caller asks for by its `Accept`; null for none. */
export function acceptedStream(accept: string | null): StreamType | null {
  return streamTypes.find((type) => accept?.includes(type)) ?? null
}

type Part = 'progress' | 'result' | 'problem'

const spelled: Readonly<Record<StreamType, (part: Part, data: object) => string>> = {
  'text/event-stream': (part, data) => `event: ${part}\ndata: ${JSON.stringify(data)}\n\n`,
  'application/x-ndjson': (part, data) => `${JSON.stringify({ [part]: data })}\n`,
}

/**
 * Answers once the work has got somewhere: what it refuses before is a problem with its own status. Whoever hangs up hears no
 * more of it, and the work goes on.
 */
export async function progressStream(
  type: StreamType,
  work: (onProgress: (progress: object) => void) => Promise<object>,
): Promise<Response> {
  const encoder = new TextEncoder()
  const begun = Promise.withResolvers<void>()
  let listens = true
  let write: (part: Part, data: object) => void = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      write = (part, data) => {
        if (listens) controller.enqueue(encoder.encode(spelled[type](part, data)))
        if (listens && part !== 'progress') controller.close()
      }
    },
    cancel: () => {
      listens = false
    },
  })
  let moved = false
  const told = async () => {
    try {
      const result = await work((progress) => {
        moved = true
        write('progress', progress)
        begun.resolve()
      })
      write('result', result)
      begun.resolve()
    } catch (error) {
      if (moved) write('problem', problemFor(error))
      begun.reject(error)
    }
  }
  void told()
  await begun.promise
  return new Response(body, { headers: { 'content-type': type, 'x-accel-buffering': 'no' } })
}

function problemFor(error: unknown): Problem {
  return error instanceof EvertickError ? problemOf(error) : unforeseen
}
