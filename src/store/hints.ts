/**
 * Hints between nodes: "something was written, look now". A hint is never a fact: a lost one costs time, not work, since
 * every part also looks by itself.
 */

/** What may be worth a look: executions that are ready, jobs that were changed, leadership that is free. */
export const hintTopics = ['work', 'jobs', 'leader'] as const
export type HintTopic = (typeof hintTopics)[number]

export interface Hints {
  /** Whether hints of others arrive at present. While they do not, changes are polled for. */
  readonly live: boolean
  /** Said after a commit. What is said in one moment becomes one message; it never throws and is never waited for. */
  send(topic: HintTopic): void
  /** Hints of other processes, not of this one. Returns the function that unsubscribes the listener. */
  listen(listener: (topic: HintTopic) => void): () => void
  close(): Promise<void>
}

/** Where nothing carries hints. */
export const noHints: Hints = {
  live: false,
  send: () => {},
  listen: () => () => {},
  close: async () => {},
}
