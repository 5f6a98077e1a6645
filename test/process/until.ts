/** Waits for what must come true, with a deadline: no test sleeps for a time and hopes. */
import { setTimeout as delay } from 'node:timers/promises'

const lookEveryMs = 20
const patienceMs = 60_000

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${patienceMs / 1_000} s in vain for ${what}.`)
    await delay(lookEveryMs)
  }
}
