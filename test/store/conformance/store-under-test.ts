/** What an engine's test file gives to the conformance suite. */
import type { OpenedStore } from '../../../src/store/open-store.ts'
import { type ByHand, byHand } from '../by-hand.ts'

export type WrittenRow = Record<string, string | number | null>

export interface StoreUnderTest extends OpenedStore {
  /** SQL behind the store's back, in its portable form: `@jobs` is the table `jobs`. */
  readonly sql: (text: string, ...params: (string | number | null)[]) => Promise<WrittenRow[]>
  /** The mark of the nth parameter in the driver's dialect. */
  readonly mark: (number: number) => string
  /** Each way in which a caller may hand over its own transaction. */
  readonly callerTransactions: Readonly<Record<string, CallersOwn>>
  close(): Promise<void>
}

export interface CallersOwn {
  readonly tx: object
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export type OpenStoreUnderTest = () => Promise<StoreUnderTest>

export type Bench = StoreUnderTest & { readonly hand: ByHand }

/** Opens a store, hands it to the test with its scheduler and worker by hand, and closes it whatever happens. */
export function withStore(open: OpenStoreUnderTest, run: (bench: Bench) => Promise<void>) {
  return async (): Promise<void> => {
    const opened = await open()
    try {
      await run({ ...opened, hand: byHand(opened.store) })
    } finally {
      await opened.close()
    }
  }
}
