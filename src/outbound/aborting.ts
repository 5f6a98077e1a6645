/** Waits for work that has no signal of its own, and no longer than the signal: it then goes on, and nobody hears of it. */
export async function aborting<T>(signal: AbortSignal, work: Promise<T>, why: () => Error): Promise<T> {
  let stop: () => void = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(why())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
