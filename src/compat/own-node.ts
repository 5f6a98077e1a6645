/** The node behind a facade: one that it brings along, opened on first use and stopped with it, or one that it was given. */

import { type AppContext, contextOf } from '../app/app-context.ts'
import type { Surroundings } from '../app/cluster/live-node.ts'
import type { EvertickOptions } from '../app/config/options.ts'
import { Evertick } from '../evertick.ts'

export class OwnNode {
  readonly #given: Evertick | (() => EvertickOptions)
  readonly #around: Partial<Surroundings>
  #opening: Promise<Evertick> | null = null

  /** Options as a function: they may read the environment, and an import or a constructor must not. */
  constructor(given: Evertick | (() => EvertickOptions), around: Partial<Surroundings> = {}) {
    this.#given = given
    this.#around = around
  }

  async opened(): Promise<Evertick> {
    this.#opening ??= this.#open()
    const opening = this.#opening
    try {
      return await opening
    } catch (error) {
      // The next use tries again: what was wrong may have been mended.
      if (this.#opening === opening) this.#opening = null
      throw error
    }
  }

  /** What it shares with the library. */
  async context(): Promise<AppContext> {
    return contextOf(await this.opened())
  }

  async started(): Promise<Evertick> {
    const evertick = await this.opened()
    await evertick.start()
    return evertick
  }

  /** Leaves a node that was given as it is. A facade that is used again after this opens a new one. */
  async stop(options: Parameters<Evertick['stop']>[0] = {}): Promise<void> {
    const opening = this.#opening
    this.#opening = null
    if (opening === null || this.#given instanceof Evertick) return
    await (await opening).stop(options)
  }

  async #open(): Promise<Evertick> {
    if (this.#given instanceof Evertick) return this.#given
    return await Evertick.openWith(this.#given(), this.#around)
  }
}
