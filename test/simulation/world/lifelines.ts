/**
 * The lifelines of a simulated server: it frees one when its holder dies, when their connection drops, and now and then for
 * no reason that its holder has given. A name that was freed is never tied again.
 */
import { keepLifelines, type Lifelines, type Tied } from '../../../src/store/lifeline.ts'
import type { Sky } from './faults.ts'
import type { Life } from './life.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

interface Line {
  readonly life: Life
  readonly node: number
  readonly onCut: () => void
}

/** Of a lifeline that is gone. */
interface News {
  readonly life: Life
  /** Once, whichever way it comes. */
  readonly hear: () => void
}

/** How many lifelines the server drops under a holder that lives, and how soon at the latest. */
const whim = { chance: 0.3, withinMs: 30_000 } as const

export class SimulatedLifelines {
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #sky: Sky
  readonly #lines = new Map<string, Line>()
  /** What holders have not heard of yet, since nothing reaches a node that is cut off. */
  readonly #unheard = new Set<News>()
  #count = 0

  constructor(timeline: Timeline, random: Random, sky: Sky) {
    this.#timeline = timeline
    this.#random = random
    this.#sky = sky
  }

  of(life: Life, node: number): Lifelines {
    const check = async (name: string) => (this.isTied(name) ? 'held' : 'free')
    return keepLifelines({ tie: async (onCut) => await this.#tie({ life, node, onCut }), check }, life.host)
  }

  isTied(name: string): boolean {
    const line = this.#lines.get(name)
    return line !== undefined && line.life.fate !== 'dead'
  }

  /** Their connections to the server break; those that live hear of it when they can. */
  cut(whose: (line: Pick<Line, 'life' | 'node'>) => boolean): void {
    for (const [name, line] of this.#lines) {
      if (!whose(line)) continue
      line.life.trouble()
      this.#drop(name)
    }
  }

  /** Nobody is cut off any more: who is connected again hears at once that a lifeline is gone. */
  heal(): void {
    for (const { life, hear } of this.#unheard) void this.#travel(life, 0).then(hear)
  }

  async #tie(line: Line): Promise<Tied> {
    await this.#travel(line.life, this.#random.next() * this.#sky.weather.latencyMs)
    if (this.#isAway(line.node)) throw new Error('simulated: no connection')
    this.#count += 1
    const name = `line-${this.#count}`
    this.#lines.set(name, line)
    if (this.#random.chance(whim.chance))
      this.#timeline.after(this.#random.next() * whim.withinMs, nature, () => this.#drop(name))
    return { name, cut: async () => void this.#lines.delete(name) }
  }

  #drop(name: string): void {
    const line = this.#lines.get(name)
    if (!this.#lines.delete(name) || line === undefined) return
    const hear = () => {
      if (this.#unheard.delete(news)) line.onCut()
    }
    const news: News = { life: line.life, hear }
    this.#unheard.add(news)
    const { cutOffUntil } = this.#sky
    const heardInMs = Math.max(0, (cutOffUntil.get(line.node) ?? 0) - this.#timeline.now)
    void this.#travel(line.life, heardInMs).then(hear)
  }

  #isAway(node: number): boolean {
    const { downUntil, cutOffUntil } = this.#sky
    return this.#timeline.now < Math.max(downUntil, cutOffUntil.get(node) ?? 0)
  }

  /** The network's time, not the node's. */
  async #travel(life: Life, ms: number): Promise<void> {
    life.travelling += 1
    await new Promise<void>((resolve) => this.#timeline.after(ms, life, resolve))
    life.travelling -= 1
  }
}

const nature = { name: 'nature', fate: 'alive' } as const
