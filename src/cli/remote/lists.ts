/** Lists of a server: several pages in one, and searches in its syntax. */
import type { ExportedJobs } from '../../app/job/managed/export-jobs.ts'
import type { WrittenJob } from '../../app/job/managed/written-job.ts'
import type { Client } from '../../client/index.ts'
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

/** Every page of the jobs as a list. */
export async function exportedJobs(
  { jobs }: Pick<Client, 'jobs'>,
  names: readonly string[] | undefined,
): Promise<Omit<ExportedJobs, 'nextCursor'>> {
  if (names !== undefined) return await jobs.export({ names: [...names] })
  const leftOut: { job: string; why: string }[] = []
  const { items } = await gathered<WrittenJob, string>(Number.POSITIVE_INFINITY, undefined, async (place) => {
    const page = await jobs.export(place)
    leftOut.push(...page.leftOut)
    return { ...page, items: page.jobs }
  })
  return { jobs: items, leftOut }
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
