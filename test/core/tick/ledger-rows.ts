import type { RangeDraft } from '../../../src/core/tick/catch-up.ts'
import type { LedgerRow } from '../../../src/core/tick/ledger-row.ts'

/** A range as the ledger keeps it. */
export function ledgerRow({ from, to, count, account, reason, into }: RangeDraft): LedgerRow {
  const kind = { account, reason, outcome: null, cancelReason: null }
  return { from, to, runs: [{ kind, count }], into, executionId: null, revision: 1, tzVersion: 'a' }
}
