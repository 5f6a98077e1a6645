/**
 * What makes the audit log's seals a chain: each is the hash of the seal before it, of its own figures, and of every
 * column of its entries as the database has them. Nothing of it can be changed, left out or slipped in unseen.
 */
import { createHash } from 'node:crypto'
import type { AuditSeal } from '../../store.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import type { Row } from '../runtime/script.ts'

/** What the first seal follows. It names the form of the text that is hashed. */
export const chainBegin = 'evertick audit chain 1'

export type SealFigures = Omit<AuditSeal, 'hash' | 'prunedAt'>

/** As JSON: no two different entries have the same text. */
export function sealHash(before: string, seal: SealFigures, entries: readonly Row[]): string {
  const { id, fromId, toId, entries: count, sealedAt, termId } = seal
  const hash = createHash('sha256')
  hash.update(`${before}\n${JSON.stringify([id, fromId, toId, count, sealedAt, termId])}\n`)
  for (const entry of entries) hash.update(`${entryText(entry)}\n`)
  return hash.digest('hex')
}

function entryText(entry: Row): string {
  return JSON.stringify([
    number(entry.id),
    number(entry.at),
    text(entry.actor),
    optionalText(entry.origin),
    text(entry.action),
    text(entry.subject),
    optionalText(entry.before_value),
    optionalText(entry.after_value),
  ])
}

export function sealFrom(seal: Row): AuditSeal {
  return {
    id: number(seal.id),
    fromId: number(seal.from_id),
    toId: number(seal.to_id),
    entries: number(seal.entries),
    hash: text(seal.hash),
    sealedAt: number(seal.sealed_at),
    termId: number(seal.term_id),
    prunedAt: optionalNumber(seal.pruned_at),
  }
}
