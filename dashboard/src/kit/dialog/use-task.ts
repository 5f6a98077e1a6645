/** Work that a button starts: whether it is running, and what went wrong last time. */
import { ref } from 'vue'

/** `onProblem` is for work that has no place to show `problem` in. */
export function useTask<Given extends readonly unknown[]>(
  work: (...given: Given) => Promise<void>,
  onProblem: (error: unknown) => void = () => {},
) {
  const isBusy = ref(false)
  const problem = ref<unknown>(null)

  async function run(...given: Given): Promise<void> {
    isBusy.value = true
    problem.value = null
    try {
      await work(...given)
    } catch (error) {
      problem.value = error
      onProblem(error)
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, problem, run }
}
