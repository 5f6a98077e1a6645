/** A list that comes in pages, as one. */

interface Page<Cursor> {
  readonly nextCursor: Cursor | null
}

/** The largest page that the server gives. */
export const largestPage = 200

/** Requests a page only when its first item is needed. */
export async function* everyOf<Item, Cursor, P extends Page<Cursor>>(
  fetchPage: (place: { limit: number; cursor?: Cursor }) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let cursor: Cursor | null = null
  do {
    const page: P = await fetchPage({ limit: largestPage, ...(cursor === null ? {} : { cursor }) })
    yield* itemsOf(page)
    cursor = page.nextCursor
  } while (cursor !== null)
}
