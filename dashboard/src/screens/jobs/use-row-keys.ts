/** ↑ and ↓ move the focus through the rows of a list, x selects; Enter opens the focused link. */
import { nextTick, onMounted, onUnmounted, type Ref } from 'vue'
import { isCovered, isTyping } from '../../shell/keys.ts'

export interface RowKeys {
  readonly count: Readonly<Ref<number>>
  /** Brings a row into view. */
  readonly toRow: (index: number) => void
  readonly select: (index: number) => void
}

export function useRowKeys({ count, toRow, select }: RowKeys): void {
  function rowInFocus(): number | null {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]')
    return row == null ? null : Number(row.dataset.row)
  }

  async function focus(index: number): Promise<void> {
    toRow(index)
    await nextTick()
    // Rows that were out of view are rendered in the next frame.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-row="${index}"] a`)?.focus({ preventScroll: true }),
    )
  }

  function onKey(event: KeyboardEvent): void {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || isCovered()) return
    const row = rowInFocus()
    if (event.key === 'x' && row !== null) select(row)
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    if (count.value === 0) return
    const next = row === null ? 0 : row + (event.key === 'ArrowDown' ? 1 : -1)
    void focus(Math.min(count.value - 1, Math.max(0, next)))
  }

  onMounted(() => document.addEventListener('keydown', onKey))
  onUnmounted(() => document.removeEventListener('keydown', onKey))
}
