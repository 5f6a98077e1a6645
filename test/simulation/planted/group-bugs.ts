/** Flows and batches. */
import type { PlantedBug } from './planted-bug.ts'

const flows = 'src/store/sql/flows/settle-flows.ts'
const batches = 'src/store/sql/batches/settle-batches.ts'

export const groupBugs: readonly PlantedBug[] = [
  {
    name: 'a-failed-step-leaves-others-waiting',
    says: 'A step that fails cancels nothing of what comes after it.',
    rules: ['no step is left behind'],
    patches: [
      { file: flows, find: 'if (names.length === 0) return []', replace: 'if (names.length >= 0) return []' },
    ],
  },
  {
    name: 'a-cancelled-step-is-not-counted',
    says: 'What a failed step has cancelled does not count among the ends of its flow.',
    rules: ['a flow ends with its last step'],
    patches: [
      {
        file: flows,
        find: 'const cancelled: Ended[] = []',
        replace: `const cancelled: Ended[] = []
  if (steps.some(({ state }) => state === 'cancelled')) return cancelled`,
      },
    ],
  },
  {
    name: 'a-step-goes-on-after-one-parent',
    says: 'The end of one parent counts for all of them.',
    rules: ['a step waits for what it comes after'],
    patches: [
      {
        file: flows,
        find: 'yield* countMet(ids, met, now)',
        replace: 'yield* countMet(ids, 1_000 * met, now)',
      },
    ],
  },
  {
    name: 'a-batch-counts-no-cancelled-members',
    says: 'A member that is cancelled does not count as ended.',
    rules: ['a batch is done once'],
    patches: [
      {
        file: batches,
        find: `count('failed'), count('cancelled'), batchId`,
        replace: `count('failed'), 0, batchId`,
      },
    ],
  },
]
