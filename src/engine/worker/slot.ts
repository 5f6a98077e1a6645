import type { ClaimedExecution, SlotOffer } from '../../store/store.ts'

/** A slot that an idle worker keeps free for what its own process is about to enqueue. One of the two is called, once. */
export interface Slot {
  readonly offer: SlotOffer
  /** It was enqueued into the slot, and begins. */
  readonly begin: (claim: ClaimedExecution) => void
  /** It was not: the slot is free again. */
  readonly free: () => void
}
