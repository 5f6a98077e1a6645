/** What every engine's migrations must do alike, and the names by which a test knows them. */
import { expect } from 'vitest'
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
  '0008_vault',
]

export function statusAt(appliedAt: number | null) {
  return migrations.map((name) => ({ version: Number.parseInt(name, 10), name, appliedAt }))
}

/** Takes all but the first migration back, and applies them again. */
export async function expectLaterComeBack({ store, migrator }: OpenedStore): Promise<void> {
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
  await expect(migrator.down({ version: 1, now: at(31) })).rejects.toMatchObject({ code: 'database_in_use' })
  expect(await store.steps.listSteps(id)).toHaveLength(1)
  const later = migrations.slice(1)
  expect(await migrator.down({ version: 1, now: at(31) + 3_600_000 })).toEqual(later.toReversed())
  expect((await migrator.status()).filter(({ appliedAt }) => appliedAt === null)).toMatchObject(
    later.map((name) => ({ name })),
  )
  expect(await migrator.down({ version: 1, now: at(31) + 3_600_000 })).toEqual([])

  expect(await migrator.up(at(40))).toEqual(later)

  expect(await look()).toEqual(before)
  expect(await store.steps.listSteps(id)).toEqual([])
  expect(await store.steps.recordSteps([stepRecord(claim, 's')])).toEqual([])
  const usage = { peakMemoryBytes: 1, cpuMs: 2 }
  const end = { ending: { state: 'completed', result: null }, finishedAt: at(41), usage } as const
  await store.work.finishAttempts({ nodeId: 'n1', attempts: [{ ...claim, ...end }], now: at(41) })
  expect(await store.executions.listUsages(id)).toMatchObject([usage])
  expect(await hand.execution(id)).toMatchObject({ state: 'completed' })
}
