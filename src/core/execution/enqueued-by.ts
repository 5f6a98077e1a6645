/**
 * Who requested an execution: the caller of the API, or whoever triggered its job. Like its trace it travels in the
 * metadata, under a name that is reserved for it, so that it costs no column and survives retries.
 */

type Metadata = Readonly<Record<string, unknown>>

const key = 'evertick.enqueuedBy'

/** Null where a tick, or code that gave no name, has made it. */
export function enqueuedBy(metadata: Metadata): string | null {
  const actor = metadata[key]
  return typeof actor === 'string' ? actor : null
}

/** As metadata; put over what a caller has written. */
export function enqueuedByMetadata(actor: string): Record<string, string> {
  return { [key]: actor }
}

/** What people have written themselves. */
export function withoutEnqueuedBy({ [key]: _, ...own }: Metadata): Metadata {
  return own
}
