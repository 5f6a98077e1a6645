/** Promises 1, 3 and 4 over random histories: nodes that stop, freeze and crash, operators, failing handlers. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { policies, steps, World } from './random-history.ts'
import { databaseFile, statesOf } from './support.ts'

const numRuns = Number(process.env['EVERTICK_STACK_HISTORIES'] ?? 10)
const seed = Number(process.env['EVERTICK_SEED'] ?? 20_260_101)

it('every due tick has one account and every completed execution one effect, whatever happens', {
  timeout: 3_600_000,
}, async () => {
  const property = fc.asyncProperty(fc.tuple(policies, policies, policies), steps, async (jobs, history) => {
    const database = databaseFile()
    const world = new World(database, jobs)
    try {
      await world.take({ kind: 'open', node: 0 })
      database.sql('CREATE TABLE effects (execution_id TEXT, attempt INTEGER)')
      await world.take({ kind: 'open', node: 1 })
      for (const step of history) await world.take(step)
      const { evertick } = await world.heal()

      expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0, findings: [] })
      const { executions } = await evertick.executions.list({ limit: 100_000 })
      const completed = executions.filter(({ state }) => state === 'completed').map(({ id }) => id)
      const effects = database.sql('SELECT execution_id AS id FROM effects').map(({ id }) => id as string)
      expect(effects.sort()).toEqual(completed.sort())
      expect(executions.filter(({ attempt, maxAttempts }) => attempt > maxAttempts)).toEqual([])
      const unfinished = executions.filter(({ finishedAt }) => finishedAt === null)
      expect(statesOf(unfinished)).toEqual({})
    } finally {
      await world.close()
      database.remove()
    }
  })
  await fc.assert(property, { numRuns, seed })
})
