/** Runs a finished execution again, all of it or from a step on, and goes to the new one. */
import { useRouter } from 'vue-router'
import type { Execution } from '../../../../src/client/index.ts'
import { useTask } from '../../kit/dialog/use-task.ts'
import { tell, tellProblem } from '../../kit/toasts/toasts.ts'
import { useRefresh } from '../../live/use-refresh.ts'
import { server } from '../../server.ts'

export function useRetry(execution: () => Execution) {
  const refresh = useRefresh()
  const router = useRouter()
  return useTask(async (fromStep?: string) => {
    const { id: earlier, job } = execution()
    const { id } = await server.executions.retry(earlier, fromStep === undefined ? {} : { fromStep })
    tell(fromStep === undefined ? 'Retrying.' : `Running again from ${fromStep}.`)
    await router.push({ name: 'execution', params: { id } })
    refresh(['execution', earlier], ['executions'], ['job', job])
  }, tellProblem)
}
