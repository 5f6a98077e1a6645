/** Shows an error of the server at the field that it is about. */
import { type ComputedRef, computed, type InjectionKey, inject, type Ref } from 'vue'

export interface FormProblem {
  readonly message?: string
  readonly field?: string | undefined
  readonly next?: string | undefined
  readonly code?: string
}

export const problemKey: InjectionKey<Readonly<Ref<FormProblem | null>>> = Symbol('problem')

/** What is wrong with a field or a part of it; null if nothing is. */
export function useProblemOf(path: () => string): ComputedRef<string | null> {
  const problem = inject(problemKey)
  return computed(() => {
    const { field, message = '', next = '' } = problem?.value ?? {}
    if (field === undefined || field === '') return null
    // An error in a schedule names only the part: `cron` is `schedule.cron`.
    const isMine = field === path() || field.startsWith(`${path()}.`) || path() === `schedule.${field}`
    return isMine ? `${message} ${next}`.replaceAll('`', '').trim() : null
  })
}
