/** The small parts that sentences are made of. */
import { heldBackSentence } from '../../../src/core/tick/account.ts'

/** "Held back: no node has its handler" if that is the reason, else null. */
export function heldBack(reason: string | undefined): string | null {
  return reason === 'disabled' ? capitalized(heldBackSentence) : null
}

export function capitalized(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
}

/** "1 run", "1,204 runs". */
export function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? word : plural}`
}
