/** What the server has refused, at the field that it is about. */
import { type ComputedRef, computed, type InjectionKey, inject, type Ref } from 'vue'

export interface FormProblem {
  readonly message?: string
  readonly field?: string | undefined
  readonly next?: string | undefined
  readonly code?: string
}

export const problemKey: InjectionKey<Readonly<Ref<FormProblem | null>>> = Symbol('problem')

/** What is wrong with a field, or with a part of it; null where nothing is. */
export function useProblemOf(path: () => string): ComputedRef<string | null> {
  const problem = inject(problemKey)
  return computed(() => {
    const { field, message = '', next = '' } = problem?.value ?? {}
    if (field === undefined || field === '') return null
    // A schedule names its own parts only: `cron` is `schedule.cron`.
    const isMine = field === path() || field.startsWith(`${path()}.`) || path() === `schedule.${field}`
    return isMine ? `${message} ${next}`.replaceAll('`', '').trim() : null
  })
}
