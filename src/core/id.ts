/**
 * Ids of jobs and executions are UUIDs, and PostgreSQL keeps them as such: it refuses to compare one with anything else, and
 * takes letters of either case for the same, which other engines do not.
 */
const shape = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Less than every id, and no row has it. */
export const noId = '00000000-0000-0000-0000-000000000000'

/** When an id of ours was made: its first 48 bits. */
export function madeAt(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

export function isId(text: string): boolean {
  return shape.test(text)
}

/** What somebody wrote, as an id to look for: nothing is found by what cannot be one. */
export function idOrNone(reference: string): string {
  return isId(reference) ? reference.toLowerCase() : noId
}
