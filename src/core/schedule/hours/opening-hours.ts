/**
 * When a job may start its ticks, as a function of time alone. All layers must be open: the job's own hours, and those of
 * its calendar, which may have another zone.
 */
import { ClockHours, type HoursLayer, type Piece } from './hours-layer.ts'

export type { Piece } from './hours-layer.ts'

export class OpeningHours {
  readonly #layers: readonly ClockHours[]
  #last: Piece | undefined

  constructor(layers: readonly HoursLayer[]) {
    this.#layers = layers.map((layer) => new ClockHours(layer))
  }

  isOpen(instant: number): boolean {
    return this.#layers.every((layer) => layer.pieceAt(instant).open)
  }

  /** The first open instant from this one on, or null where none is in sight. */
  nextOpening(instant: number): number | null {
    return this.isOpen(instant) ? instant : this.#endOf(instant)
  }

  /** The first closed instant from this one on, or null. */
  nextClosing(instant: number): number | null {
    return this.isOpen(instant) ? this.#endOf(instant) : instant
  }

  /** Where the hours that hold at an instant have begun, but not before `floor`. */
  startOf(instant: number, floor: number): number {
    const { open } = this.#pieceAt(instant)
    let { startAt } = this.#pieceAt(instant)
    while (startAt > floor) {
      const before = this.#pieceAt(startAt - 1)
      if (before.open !== open) return startAt
      startAt = before.startAt
    }
    return floor
  }

  /** The open and the closed stretches of `[from, until)`, in turn. */
  *stretches(from: number, until: number): Generator<Piece> {
    for (let startAt = from; startAt < until; ) {
      const open = this.isOpen(startAt)
      const endAt = Math.min(this.#endOf(startAt) ?? until, until)
      yield { open, startAt, endAt }
      startAt = endAt
    }
  }

  /** When the state of an instant ends; null where it never does, as far as the rules can be seen. */
  #endOf(instant: number): number | null {
    const known = this.#last
    if (known !== undefined && instant >= known.startAt && instant < known.endAt) return known.endAt
    const { open, startAt } = this.#pieceAt(instant)
    const horizon = Math.max(...this.#layers.map((layer) => layer.horizonFrom(instant)))
    for (let at = instant; at < horizon; ) {
      const piece = this.#pieceAt(at)
      if (piece.open !== open) {
        this.#last = { open, startAt, endAt: at }
        return at
      }
      at = piece.endAt
    }
    return null
  }

  #pieceAt(instant: number): Piece {
    const pieces = this.#layers.map((layer) => layer.pieceAt(instant))
    return {
      open: pieces.every(({ open }) => open),
      startAt: Math.max(...pieces.map(({ startAt }) => startAt)),
      endAt: Math.min(...pieces.map(({ endAt }) => endAt)),
    }
  }
}
