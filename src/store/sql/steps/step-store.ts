import type { StepStore } from '../../store.ts'
import { Gatherer } from '../runtime/gatherer.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { recordSteps, stepWithin } from './record-steps.ts'
import { signalExecution } from './signal-execution.ts'
import { listStepsOf } from './step-rows.ts'

export function stepStore({ driver, read, write, writeAndTell }: Scripts): StepStore {
  // Many who sleep until the same instant wake together.
  const lists = new Gatherer(
    (ids: readonly string[]) => read(() => listStepsOf(ids)),
    Number.POSITIVE_INFINITY,
  )
  return {
    listSteps: async (executionId) => (await lists.add([executionId])).flat(),
    recordSteps: (records) => write(() => recordSteps(records)),
    stepWithin: (request) => stepWithin(driver, request),
    signalExecution: (target, signal, by) => writeAndTell(() => signalExecution(target, signal, by), 'work'),
  }
}
