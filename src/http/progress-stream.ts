/** Long work as a stream: its progress and then its result, as server-sent events or as lines of JSON. */
import { EvertickError } from '../core/error.ts'
import { type Problem, problemOf, unforeseen } from './problem.ts'

const streamTypes = ['text/event-stream', 'application/x-ndjson'] as const
export type StreamType = (typeof streamTypes)[number]

/** The kind of stream that the `Accept` header asks for; null for none. */
export function acceptedStream(accept: string | null): StreamType | null {
  return streamTypes.find((type) => accept?.includes(type)) ?? null
}

type Part = 'progress' | 'result' | 'problem'

const spelled: Readonly<Record<StreamType, (part: Part, data: object) => string>> = {
  'text/event-stream': (part, data) => `event: ${part}\ndata: ${JSON.stringify(data)}\n\n`,
  'application/x-ndjson': (part, data) => `${JSON.stringify({ [part]: data })}\n`,
}

/**
 * Answers after the first progress, so that an error before it has its own status. If the caller hangs up, the work goes on.
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
