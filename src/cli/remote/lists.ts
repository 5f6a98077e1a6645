/** Lists of a server: several pages in one, and searches in its syntax. */
import { largestPage } from '../../client/pages.ts'
import { EvertickError } from '../../core/error.ts'

interface Page<Item, Cursor> {
  readonly items: readonly Item[]
  readonly nextCursor: Cursor | null
}

/** Up to `limit` items, in as many pages as that takes. */
export async function gathered<Item, Cursor>(
  limit: number,
  cursor: Cursor | undefined,
  fetchPage: (place: { limit: number; cursor?: Cursor }) => Promise<Page<Item, Cursor>>,
): Promise<Page<Item, Cursor>> {
  const items: Item[] = []
  let next: Cursor | null = cursor ?? null
  do {
    const page: Page<Item, Cursor> = await fetchPage({
      limit: Math.min(limit - items.length, largestPage),
      ...(next === null ? {} : { cursor: next }),
    })
    items.push(...page.items)
    next = page.nextCursor
  } while (next !== null && items.length < limit)
  return { items, nextCursor: next }
}

/** `state:"paused" tag:"two words" "nightly"`: each value in quotes, so that none is taken for syntax. */
export function searchText(
  named: Readonly<Record<string, string | undefined>>,
  words?: string,
  written?: string,
): { filter?: string } {
  const terms = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}:${quoted(value, name)}`],
  )
  const parts = [
    ...terms,
    ...(words === undefined ? [] : [quoted(words, 'search')]),
    ...(written === undefined ? [] : [written]),
  ]
  return parts.length === 0 ? {} : { filter: parts.join(' ') }
}

function quoted(value: string, field: string): string {
  if (!value.includes('"')) return `"${value}"`
  throw new EvertickError('invalid_option', 'A search on a server cannot contain a quotation mark.', {
    field,
  })
}
