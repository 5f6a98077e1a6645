/** What an end costs: where nothing was measured, not one statement more. */
import { expect, test } from 'vitest'
import { asAnswer, type Step } from '../../src/store/sql/runtime/script.ts'
import { finishAttempts } from '../../src/store/sql/work/finish-attempts.ts'
import type { FinishedAttempt } from '../../src/store/store.ts'
import { idOf } from './builders.ts'
import { at } from './by-hand.ts'

const plain: FinishedAttempt = {
  id: idOf('e1'),
  fence: 1,
  attempt: 1,
  claimed: { jobId: idOf('job-a'), cause: 'enqueue', tickAt: null },
  ending: { state: 'completed', result: null },
  finishedAt: at(1),
}

/** Beside the completions, which the engine writes by a statement of its own. */
function stepsBeside(attempts: readonly FinishedAttempt[]): Step[] {
  const script = finishAttempts(
    { nodeId: 'n1', attempts, now: at(1), heard: [] },
    {
      // oxlint-disable-next-line eslint/require-yield -- it asks nothing here
      *completeAttempts(completions) {
        return new Set(completions.map(({ id }) => id))
      },
    },
  )
  const steps: Step[] = []
  for (let next = script.next(); next.done !== true; next = script.next(asAnswer([]))) steps.push(next.value)
  return steps
}

test('a run that nobody watched ends by its completion alone, and one that was watched takes its row along', () => {
  expect(stepsBeside([plain])).toEqual([])
  const usage = { peakMemoryBytes: 1, cpuMs: 2 }
  expect(stepsBeside([plain, { ...plain, id: idOf('e2'), usage }])).toMatchObject([
    { wants: 'locks', params: [[idOf('e2')]] },
    { into: 'usages', rows: [{ execution_id: idOf('e2'), fence: 1, peak_memory_bytes: 1, cpu_ms: 2 }] },
  ])
})
