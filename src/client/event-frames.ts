/** Server-sent events, from bytes to frames. */

export interface Frame {
  /** From where to go on after this frame; null where it does not say. */
  readonly id: string | null
  readonly event: string | null
  readonly data: string | null
}

/** Throws if nothing arrives for `silenceMs`, or when the signal is aborted. */
export async function* frames(
  body: ReadableStream<Uint8Array>,
  { silenceMs, signal }: { readonly silenceMs: number; readonly signal: AbortSignal },
): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await heard(reader, silenceMs, signal)
      if (done) return
      text += decoder.decode(value, { stream: true }).replaceAll('\r', '')
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) yield frameOf(part)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function heard(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  silenceMs: number,
  signal: AbortSignal,
): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
  signal.throwIfAborted()
  let stop: () => void = () => {}
  const aborted = new Promise<null>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The server has stopped sending.')), silenceMs)
    const onAbort = () => resolve(null)
    signal.addEventListener('abort', onAbort, { once: true })
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  })
  try {
    const read = await Promise.race([reader.read(), aborted])
    if (read !== null) return read
    throw signal.reason
  } finally {
    stop()
  }
}

function frameOf(text: string): Frame {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [name = '', value = ''] = line.split(/: ?(.*)/s)
    // A line that begins with a colon is a comment: a heartbeat.
    if (name !== '') fields.set(name, value)
  }
  return {
    id: fields.get('id') ?? null,
    event: fields.get('event') ?? null,
    data: fields.get('data') ?? null,
  }
}
