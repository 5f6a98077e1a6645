/** What a former try of a repeated request has made. */
import { Evertick } from '../app/evertick.ts'
import { type ExecutionView, executionView } from '../app/views.ts'

export async function formerExecution(
  { evertick }: { readonly evertick: Evertick },
  id: string,
): Promise<ExecutionView | null> {
  const made = await Evertick.appOf(evertick).store.executions.findExecution(id)
  return made === null ? null : executionView(made)
}
