/** Counts what a node asks of its store. */
import type { ClaimResult, Store } from '../src/store/store.ts'
import { wrapVerbs } from '../src/store/wrap-store.ts'

export interface StoreCalls {
  readonly wrap: (store: Store) => Store
  readonly all: number
  readonly claims: number
  /** Claims that brought nothing. */
  readonly emptyClaims: number
}

export function countCalls(): StoreCalls {
  const calls = { all: 0, claims: 0, emptyClaims: 0 }
  const claimed = async (result: Promise<ClaimResult>) => {
    calls.claims += 1
    if ((await result).claimed.length === 0) calls.emptyClaims += 1
  }
  const wrap = (store: Store) =>
    wrapVerbs(store, ({ verb, run }) => {
      calls.all += 1
      const result = run()
      // Who asked hears of a failure; here only its answer counts.
      if (verb === 'claimExecutions') claimed(result as Promise<ClaimResult>).catch(() => {})
      return result
    })
  return {
    wrap,
    get all() {
      return calls.all
    },
    get claims() {
      return calls.claims
    },
    get emptyClaims() {
      return calls.emptyClaims
    },
  }
}
