import type { AccountResult, TickStore } from '../../store.ts'
import { oneMoment, type Scripts, unspoken } from '../runtime/scripts.ts'
import { accountTicks, findDueJobs, LeadLost } from './account-ticks.ts'
import { auditLedger } from './audit-ledger.ts'
import { countTicks, missedTicks } from './count-ticks.ts'
import { purgeHistory } from './purge-history.ts'
import { explainSpan } from './read-ledger.ts'
import { recentTicks } from './recent-ticks.ts'

export function tickStore({ driver, hot, context, read, write, tellingIf }: Scripts): TickStore {
  return {
    findDueJobs: (until, limit) => read(() => findDueJobs(until, limit)),
    accountTicks: (request) =>
      tellingIf(
        unlessLeadLost(write(() => accountTicks(request, context, hot), unspoken)),
        ({ readyAt }) => readyAt !== null,
      ),
    explainSpan: (...span) => read(() => explainSpan(...span, context), oneMoment),
    auditLedger: ({ onProgress }) => auditLedger(driver, context, onProgress),
    countTicks: (...slots) => read(() => countTicks(...slots), oneMoment),
    recentTicks: (jobIds, limit) => read(() => recentTicks(jobIds, limit), oneMoment),
    missedTicks: (termId) => read(() => missedTicks(termId), oneMoment),
    purgeHistory: (request) => write(() => purgeHistory(request)),
  }
}

/** A leader whose fence was refused at the end has accounted for nothing. */
async function unlessLeadLost(written: Promise<AccountResult>): Promise<AccountResult> {
  try {
    return await written
  } catch (error) {
    if (error instanceof LeadLost) return error.result
    throw error
  }
}
