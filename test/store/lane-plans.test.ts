/** On SQLite, where a look blocks the event loop: none for what is unfinished reads the history of its job. */
import { expect, test } from 'vitest'
import { readHealth } from '../../src/store/sql/jobs/job-health.ts'
import { isInsert, type Row, type Script } from '../../src/store/sql/runtime/script.ts'
import { findIdleLanes } from '../../src/store/sql/work/idle-lanes.ts'
import { jobsWithBlocked, loadLanes, settleLane } from '../../src/store/sql/work/lane.ts'
import { jobSpec, t0 } from './builders.ts'
import { openMemory } from './sqlite-store.ts'

const leader = { holder: 'n1', fence: 1, expires_at: t0, last_heartbeat: '2027-01-01 00:00:00' }
const execution: Row = {
  ...leader,
  failures: 1,
  id: 'e1',
  job_id: 'job-1',
  cause: 'catch_up',
  state: 'pending',
  ready_at: t0,
}

/** Every look is answered with an execution, that for a leader too, so that none is left out. */
function textsOf(script: Script<unknown>): string[] {
  const texts: string[] = []
  let step = script.next()
  while (!step.done) {
    if (isInsert(step.value)) throw new Error('a look writes')
    texts.push(step.value.text)
    step = script.next([execution] as Row[] & number)
  }
  return texts
}

const job = { id: 'job-1', name: 'job-1', spec: jobSpec(), chainYields: 0 }

test.each([
  ['settling a lane', () => settleLane(job, t0)],
  ['reading lanes', () => loadLanes([job as unknown as Parameters<typeof loadLanes>[0][number]])],
  ['finding what is blocked', () => jobsWithBlocked(['job-1'])],
  ['finding idle lanes', () => findIdleLanes(t0)],
  ['reading health', () => readHealth(['job-1'], t0)],
])('%s', async (_, script) => {
  const memory = await openMemory()
  for (const text of textsOf(script())) {
    const plan = await memory.sql(`EXPLAIN QUERY PLAN ${text}`)
    expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(
      /job_executions_(history|tick)|SCAN evertick_job_executions$/,
    )
  }
  await memory.close()
})
