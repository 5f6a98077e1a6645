import type { AppContext } from '../app-context.ts'
import { ChangeFeed } from './change-feed.ts'
import type { Hint } from './hint.ts'

/** Tells what changes in the database, on any node, until the signal is aborted. */
export async function followChanges(
  app: AppContext,
  tell: (change: Hint) => void,
  signal: AbortSignal,
): Promise<void> {
  const feed = new ChangeFeed(app, app.logger, tell)
  feed.start()
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await feed.stop()
}
