/**
 * Writes a batch, again and again while the database is away. Where the database answers but refuses it, one
 * of the items is the reason: the batch is split until that item is alone, and the others no longer wait for it.
 */
import { EvertickError } from '../../core/error.ts'
import type { Claim } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'

export interface StubbornParts<Item> {
  /** Returns the ids that were refused. `tries`: so many came before, and each may have been written. */
  readonly write: (items: readonly Item[], tries: number) => Promise<Set<string>>
  /** What is written instead of an item that the database refuses; null: nothing. */
  readonly instead: (item: Item, error: unknown) => Item | null
}

const retryMs = 250
/** How often a single item may fail. One failure of several items is enough to try them apart. */
const patience = 3
/** A probe takes no node for dead. */
const probeLostMs = 86_400_000

export class StubbornWrite<Item extends Claim> {
  readonly #context: EngineContext
  readonly #parts: StubbornParts<Item>
  #giveUp = false

  constructor(context: EngineContext, parts: StubbornParts<Item>) {
    this.#context = context
    this.#parts = parts
  }

  /** A database that stays away is not waited for any longer. */
  giveUp(): void {
    this.#giveUp = true
  }

  /** The refused ids; null where the database stayed away until it was given up. */
  async write(items: readonly Item[]): Promise<Set<string> | null> {
    return await this.#untilDone(items, 0)
  }

  async #untilDone(items: readonly Item[], before: number): Promise<Set<string> | null> {
    const { clock, logger } = this.#context
    const suspected = before > 0
    const enough = suspected && items.length > 1 ? 1 : patience
    let refusals = 0
    /** Failures after others could write: what is lost then is lost by these items. */
    let losses = 0
    let others = false
    for (let tries = before; ; tries += 1) {
      try {
        return await this.#parts.write(items, tries)
      } catch (error) {
        if (this.#giveUp || isFinal(error)) return null
        refusals += isRefusal(error) ? 1 : 0
        losses = others && isLoss(error) ? losses + 1 : 0
        const refused = refusals > 0 && (items.length > 1 || refusals >= patience)
        if (refused || losses >= enough) return await this.#apart(items, tries + 1, error)
        logger.warn('Could not write attempts; trying again', { error })
        await new Promise<void>((resolve) => clock.timer(retryMs, resolve))
        others = (suspected || tries + 1 >= patience) && (await this.#othersCanWrite())
      }
    }
  }

  /**
   * A server hangs up on a statement beyond its packet limit, which looks like a server that is away. A read would not
   * tell the two apart: a replica and a full disk answer it.
   */
  async #othersCanWrite(): Promise<boolean> {
    const { store, nodeId, clock } = this.#context
    try {
      await store.cluster.touchNode(nodeId, clock.now(), probeLostMs)
      return true
    } catch {
      return false
    }
  }

  async #apart(items: readonly Item[], tries: number, error: unknown): Promise<Set<string> | null> {
    const [only] = items
    if (items.length === 1 && only !== undefined) return await this.#replaced(only, tries, error)
    const middle = Math.ceil(items.length / 2)
    const refused = new Set<string>()
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      const ids = await this.#untilDone(half, tries)
      if (ids === null) return null
      for (const id of ids) refused.add(id)
    }
    return refused
  }

  async #replaced(item: Item, tries: number, error: unknown): Promise<Set<string> | null> {
    const { logger } = this.#context
    const instead = this.#parts.instead(item, error)
    if (instead === null) {
      logger.error(`The database refuses every write for execution ${item.id}`, { error })
      return new Set([item.id])
    }
    logger.error(`The database refuses the end of execution ${item.id}: it is written as failed`, { error })
    return await this.#untilDone([instead], tries)
  }
}

/** No try can ever succeed. */
function isFinal(error: unknown): boolean {
  return error instanceof EvertickError && /^database_(?:closed|replaced)$/.test(error.code)
}

/** The database has answered, with a code of its own, and not that it is away, busy or full. */
function isRefusal(error: unknown): boolean {
  if (error instanceof EvertickError) return error.kind !== 'unavailable'
  return error instanceof Error && 'code' in error
}

/** The connection went, or nobody knows what: a code says that it is something else. */
function isLoss(error: unknown): boolean {
  return error instanceof EvertickError ? error.code === 'database_unavailable' : !isRefusal(error)
}
