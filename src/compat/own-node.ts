/** The node behind a facade: its own, opened on first use and stopped with it, or one that it was given. */

import { type AppContext, contextOf } from '../app/app-context.ts'
import type { Surroundings } from '../app/cluster/live-node.ts'
import type { EvertickOptions } from '../app/config/options.ts'
import { Evertick } from '../evertick.ts'

export class OwnNode {
  readonly #given: Evertick | (() => EvertickOptions)
  readonly #around: Partial<Surroundings>
  #opening: Promise<Evertick> | null = null

  /** Options come as a function because they may read the environment, which an import or a constructor must not do. */
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
      // The next use tries again: the cause may be fixed by then.
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

  /** Stops the facade's own node, never one that it was given. The next use opens a new one. */
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
