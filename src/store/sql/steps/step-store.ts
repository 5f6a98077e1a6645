import type { StepStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { recordSteps, stepWithin } from './record-steps.ts'
import { signalExecution } from './signal-execution.ts'
import { listSteps } from './step-rows.ts'

export function stepStore({ driver, read, write, writeAndTell }: Scripts): StepStore {
  return {
    listSteps: (executionId) => read(() => listSteps(executionId)),
    recordSteps: (records) => write(() => recordSteps(records)),
    stepWithin: (request) => stepWithin(driver, request),
    signalExecution: (target, signal, by) => writeAndTell(() => signalExecution(target, signal, by), 'work'),
  }
}
