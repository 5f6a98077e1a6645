/** Says that no node can run a job and what to do about it, for health, `why` and the list after a start. */
import { commandKey, httpKey, sourceKey } from './handler.ts'

const commandMark = commandKey('')

export function missingHandler(key: string): { readonly sentence: string; readonly next: string } {
  if (key === httpKey)
    return {
      sentence: 'No live node makes HTTP calls: none has the role worker.',
      next: 'Start a worker with `evertick worker`.',
    }
  if (key === sourceKey)
    return {
      sentence: 'No live node syncs sources: none of this version has the role worker.',
      next: 'Start a worker with `evertick worker`.',
    }
  if (key.startsWith(commandMark)) {
    const command = key.slice(commandMark.length)
    return {
      sentence: `No live node may run ${command}.`,
      next: `Add ${command} to EVERTICK_ALLOW_COMMANDS of a worker.`,
    }
  }
  return {
    sentence: `No live node has its handler "${key}".`,
    next: 'Start a node that defines it, or delete the job.',
  }
}
