/** Short messages in a corner: what was done, and how to undo it. */
import { reactive } from 'vue'
import { problemWords } from '../problem-words.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'problem'
  readonly undo: (() => unknown) | null
}

const shownMs = { done: 5_000, problem: 10_000 }
let lastId = 0

export const toasts: Toast[] = reactive([])

export function tell(text: string, { undo = null }: { undo?: Toast['undo'] } = {}): void {
  show({ text, kind: 'done', undo })
}

export function tellProblem(error: unknown): void {
  const { message, next } = problemWords(error)
  show({ text: `${message} ${next}`.trim(), kind: 'problem', undo: null })
}

export function dismiss(id: number): void {
  const index = toasts.findIndex((toast) => toast.id === id)
  if (index >= 0) toasts.splice(index, 1)
}

function show(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  const id = lastId
  toasts.push({ ...toast, id })
  setTimeout(() => dismiss(id), shownMs[toast.kind] + (toast.undo === null ? 0 : 5_000))
}
