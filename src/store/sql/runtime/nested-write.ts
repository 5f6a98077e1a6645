/**
 * A handler's transaction is its own: what Evertick is asked to write inside it, but without its `tx`, would on SQLite
 * wait for it for ever, and on a server survive its rollback. It is refused everywhere,
 * so that the same code works on all engines.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { EvertickError } from '../../../core/error.ts'

const insideTransaction = new AsyncLocalStorage<true>()

/** In an async function, so that one which throws before its first await is a rejection as well. */
export async function asTransaction<T>(run: () => Promise<T>): Promise<T> {
  return await insideTransaction.run(true, async () => await run())
}

export function isInsideTransaction(): boolean {
  return insideTransaction.getStore() !== undefined
}

export function refuseNested(): void {
  if (!isInsideTransaction()) return
  throw new EvertickError(
    'nested_write',
    'Evertick was asked to write inside ctx.transaction, but outside its tx.',
    {
      next: 'Pass { tx } to enqueue, or do it before or after the transaction.',
    },
  )
}

/** Later use of a transaction that has ended is refused, not written outside. */
export function transactionEnded(): EvertickError {
  return new EvertickError(
    'transaction_used',
    'This transaction has ended: it was committed or rolled back.',
    {
      next: 'Await every write inside the function that ctx.transaction runs.',
    },
  )
}
