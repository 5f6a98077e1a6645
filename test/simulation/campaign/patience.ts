/**
 * How long a process may take for one history, in processor time: where much else runs, it may hardly move for minutes, and
 * that breaks no rule. One that waits for ever uses none.
 */
import { readFileSync } from 'node:fs'

/** Linux counts a process's time in hundredths of a second. */
const tickMs = 10

/** What a process has used so far; null where nobody can tell. */
export function processorMs(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  } catch {
    return null
  }
}

/** Asked again and again: it may go on while it moves, until it has used up half of its patience. */
export class Patience {
  readonly #used: () => number | null
  readonly #mostMs: number
  readonly #begun: number | null
  #seen: number | null

  constructor(patienceMs: number, used: () => number | null) {
    this.#used = used
    this.#mostMs = patienceMs / 2
    this.#begun = used()
    this.#seen = this.#begun
  }

  isOver(): boolean {
    const [begun, seen, used] = [this.#begun, this.#seen, this.#used()]
    this.#seen = used
    return begun === null || seen === null || used === null || used === seen || used - begun >= this.#mostMs
  }
}
