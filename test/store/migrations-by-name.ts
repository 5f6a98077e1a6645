/** What every engine's migrations must do alike, and the names by which a test knows them. */
import { expect } from 'vitest'
import { loadMigrations, statementsOf } from '../../src/store/migrate.ts'
import type { OpenedStore } from '../../src/store/open-store.ts'
import { idOf, jobSpec, newExecution, stepRecord } from './builders.ts'
import { at, byHand } from './by-hand.ts'

export const migrations = [
  '0001_init',
  '0002_steps',
  '0003_usage',
  '0004_notices',
  '0005_alerts',
  '0006_vacuum',
  '0007_check_ins',
]

export function statusAt(appliedAt: number | null) {
  return migrations.map((name) => ({ version: Number.parseInt(name, 10), name, appliedAt }))
}

/** `sql` is the owner's. Takes all but the first migration back by their own files, as no command does, and applies them again. */
export async function expectLaterComeBack(
  { store, migrator }: OpenedStore,
  sql: (text: string) => Promise<unknown>,
  record: string,
): Promise<void> {
  await migrator.up(at(0))
  const hand = byHand(store)
  await hand.work()
  const led = await hand.lead()
  await hand.create('ticks')
  await hand.account(led, at(30))
  await hand.drain(at(30))
  await hand.create('a', jobSpec({ schedule: null }))
  await store.work.enqueueExecutions([newExecution('runs', 'a')])
  const claim = await hand.claimOne(at(31))
  const { id } = claim
  await store.steps.recordSteps([stepRecord(claim, 's')])
  expect(await store.steps.listSteps(id)).toHaveLength(1)
  const look = async () => ({
    jobs: await store.jobs.listJobs({ limit: 10 }),
    executions: await hand.executions('a'),
    ledger: await hand.ledger('ticks'),
    audit: await store.ticks.auditLedger({}),
  })
  const before = await look()
  expect(before).toMatchObject({
    executions: [{ id: idOf('runs'), state: 'running' }],
    ledger: ['10-20 coalesced latest x2', '30 fired'],
  })
  const [, ...later] = loadMigrations(store.dialect)
  for (const { down } of later.toReversed()) for (const statement of statementsOf(down)) await sql(statement)
  await sql(`DELETE FROM ${record} WHERE version > 1`)

  expect(await migrator.up(at(40))).toEqual(migrations.slice(1))

  expect(await look()).toEqual(before)
  expect(await store.steps.listSteps(id)).toEqual([])
  expect(await store.steps.recordSteps([stepRecord(claim, 's')])).toEqual([])
  const usage = { peakMemoryBytes: 1, cpuMs: 2 }
  const end = { ending: { state: 'completed', result: null }, finishedAt: at(41), usage } as const
  await store.work.finishAttempts({ nodeId: 'n1', attempts: [{ ...claim, ...end }], now: at(41) })
  expect(await store.executions.listUsages(id)).toMatchObject([usage])
  expect(await hand.execution(id)).toMatchObject({ state: 'completed' })
}
