/**
 * One suite over the port, run on every engine: what a store promises, each test named after its promise. An engine's
 * test file says how to open one and calls this.
 */
import { describe } from 'vitest'
import { describeAccess } from './conformance/access.ts'
import { describeAccounting } from './conformance/accounting.ts'
import { describeAcknowledged } from './conformance/acknowledged.ts'
import { describeActions } from './conformance/actions.ts'
import { describeAdoption } from './conformance/adoption.ts'
import { describeAhead } from './conformance/ahead.ts'
import { describeAlertFacts } from './conformance/alert-facts.ts'
import { describeAlerts } from './conformance/alerts.ts'
import { describeAttempts } from './conformance/attempts.ts'
import { describeAuditLog } from './conformance/audit-log.ts'
import { describeBulk } from './conformance/bulk.ts'
import { describeCheckIns } from './conformance/check-ins.ts'
import { describeFolded } from './conformance/folded.ts'
import { describeHandRuns } from './conformance/hand-runs.ts'
import { describeHealth } from './conformance/health.ts'
import { describeLanes } from './conformance/lanes.ts'
import { describeLeaderLog } from './conformance/leader-log.ts'
import { describeLeadership } from './conformance/leadership.ts'
import { describeLedger } from './conformance/ledger.ts'
import { describeLists } from './conformance/lists.ts'
import { describeOutbox } from './conformance/outbox.ts'
import { describeOwed } from './conformance/owed.ts'
import { describePictures } from './conformance/pictures.ts'
import { describeQueueing } from './conformance/queueing.ts'
import { describeReserves } from './conformance/reserves.ts'
import { describeRests } from './conformance/rests.ts'
import { describeRetention } from './conformance/retention.ts'
import { describeSignals } from './conformance/signals.ts'
import { describeSlots } from './conformance/slots.ts'
import { describeSteps } from './conformance/steps.ts'
import type { OpenStoreUnderTest } from './conformance/store-under-test.ts'
import { describeTeller } from './conformance/teller.ts'
import { describeTransactions } from './conformance/transactions.ts'
import { describeUsages } from './conformance/usages.ts'
import { describeVault } from './conformance/vault.ts'

export function describeStore(name: string, open: OpenStoreUnderTest, { skip = false } = {}): void {
  describe.skipIf(skip)(`a store: ${name}`, () => {
    describeAccounting(open)
    describeActions(open)
    describeBulk(open)
    describeAhead(open)
    describeQueueing(open)
    describeSlots(open)
    describeAcknowledged(open)
    describeReserves(open)
    describeLanes(open)
    describeAttempts(open)
    describeTransactions(open)
    describeSteps(open)
    describeSignals(open)
    describeCheckIns(open)
    describeRests(open)
    describeUsages(open)
    describeRetention(open)
    describeFolded(open)
    describeLedger(open)
    describeLists(open)
    describePictures(open)
    describeHealth(open)
    describeOutbox(open)
    describeTeller(open)
    describeOwed(open)
    describeLeadership(open)
    describeAccess(open)
    describeVault(open)
    describeAuditLog(open)
    describeAlerts(open)
    describeAlertFacts(open)
    describeLeaderLog(open)
    describeHandRuns(open)
    describeAdoption(open)
  })
}
