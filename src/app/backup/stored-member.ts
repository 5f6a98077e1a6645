/** A gzip member that stores its text as it is: the same text is always the same bytes, so that each of them can be checked. */
import { crc32 } from 'node:zlib'

const headBytes = 15
const tailBytes = 8
/** What one stored block of deflate takes. */
const mostText = 65_535

export function storedMember(text: string): Buffer {
  const body = Buffer.from(text)
  if (body.length > mostText) throw new RangeError('The text does not fit into one block.')
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 0, 0, 0, 0])
  head.writeUInt16LE(body.length, 11)
  head.writeUInt16LE(body.length ^ 0xffff, 13)
  const tail = Buffer.alloc(tailBytes)
  tail.writeUInt32LE(crc32(body), 0)
  tail.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, tail])
}

/** The longest that a member can be. */
export const longestMember = headBytes + mostText + tailBytes

/** The text of the member that these bytes end with; null where they end with anything else, however alike. */
export function storedTextAt(end: Buffer): { readonly text: string; readonly bytes: number } | null {
  if (end.length < headBytes + tailBytes) return null
  const length = end.readUInt32LE(end.length - 4)
  const bytes = headBytes + length + tailBytes
  if (length > mostText || bytes > end.length) return null
  const member = end.subarray(end.length - bytes)
  const text = member.subarray(headBytes, headBytes + length).toString()
  return storedMember(text).equals(member) ? { text, bytes } : null
}
