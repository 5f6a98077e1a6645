/** Recomputes the audit log's seals, one after the other: each read is of one moment, so that it may go on beside the leader. */
import type { AuditSeal, BrokenSeal, ChainReport } from '../../store.ts'
import type { SqlDriver } from '../runtime/driver.ts'
import { jsonObject, number } from '../runtime/rows.ts'
import { type Row, row, rows, type Script } from '../runtime/script.ts'
import { oneMoment } from '../runtime/scripts.ts'
import { chainBegin, sealFrom, sealHash } from './audit-chain.ts'
import { pruneAction } from './seal-audit-log.ts'

interface Link {
  readonly seal: AuditSeal
  readonly entries: readonly Row[]
}

export async function verifyAuditLog(driver: SqlDriver, head: string | null): Promise<ChainReport> {
  const broken: BrokenSeal[] = []
  let last: AuditSeal | null = null
  let sealed = 0
  let contains = false
  for (;;) {
    const after: AuditSeal | null = last
    const link: Link | null = await driver.read(() => nextLink(after), oneMoment)
    if (link === null) break
    const { seal, entries }: Link = link
    // Retention may have moved on meanwhile: then the first that is left is another one.
    const isAnchor = seal.prunedAt !== null
    const why = isAnchor ? await whyNoAnchor(driver, link) : whyBroken(after, link)
    if (why !== null) broken.push({ at: `${seal.fromId}-${seal.toId}`, why })
    if (isAnchor) sealed = 0
    sealed += entries.length
    contains ||= seal.hash === head
    last = seal
    await driver.rest()
  }
  const unsealed = await driver.read(() => countAfter(last?.toId ?? 0))
  return {
    entries: sealed + unsealed,
    sealed,
    unsealed,
    head: last?.hash ?? null,
    contains: head === null ? null : contains,
    broken,
  }
}

/** A seal stands for every id from its predecessor's last to its own: whatever was slipped in between is among its entries. */
function* nextLink(after: AuditSeal | null): Script<Link | null> {
  const sealRow = yield* row(
    'SELECT * FROM @audit_seals WHERE id > ? ORDER BY id LIMIT 1',
    after?.id ?? Number.MIN_SAFE_INTEGER,
  )
  if (sealRow === null) return null
  const seal = sealFrom(sealRow)
  const entries = yield* rows(
    'SELECT * FROM @audit_log WHERE id > ? AND id <= ? ORDER BY id',
    seal.prunedAt === null ? (after?.toId ?? Number.MIN_SAFE_INTEGER) : Number.MIN_SAFE_INTEGER,
    seal.toId,
  )
  return { seal, entries }
}

function whyBroken(after: AuditSeal | null, { seal, entries }: Link): string | null {
  if (seal.id !== (after?.id ?? 0) + 1) return `the seals before seal ${seal.id} are missing`
  if (sealHash(after?.hash ?? chainBegin, seal, entries) === seal.hash) return null
  const more = entries.length - seal.entries
  if (more < 0) return `${-more} of the ${seal.entries} sealed entries are missing`
  if (more > 0)
    return `${more === 1 ? '1 entry was' : `${more} entries were`} added to the ${seal.entries} that were sealed`
  return 'an entry or the seal itself was changed'
}

/** Whether an entry says that retention removed the entries up to this seal. */
function* pruneEntry(seal: AuditSeal): Script<boolean> {
  const said = yield* rows(
    'SELECT after_value FROM @audit_log WHERE action = ? ORDER BY id DESC',
    pruneAction,
  )
  return said.some(({ after_value }) => jsonObject(after_value).seal === seal.id)
}

async function whyNoAnchor(driver: SqlDriver, { seal, entries }: Link): Promise<string | null> {
  if (entries.length > 0) return `there are ${entries.length} entries that retention had removed`
  const said = await driver.read(() => pruneEntry(seal))
  return said ? null : 'the entries up to here were removed, and no entry says that retention did it'
}

function* countAfter(id: number): Script<number> {
  const counted = yield* row('SELECT count(*) AS n FROM @audit_log WHERE id > ?', id)
  return number(counted?.n)
}
