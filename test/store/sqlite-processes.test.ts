/** Several connections and several processes on one file: the WHERE decides, and nobody hears of a busy file. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { idOf, jobSpec, newExecution, newJob, scriptContext, second, t0 } from './builders.ts'
import { at, type ByHand, byHand } from './by-hand.ts'
import { migrations } from './migrations-by-name.ts'
import { temporaryFolder } from './sqlite-store.ts'

/** `count` stores on one new file. */
async function withStores(count: number, run: (stores: Store[], hands: ByHand[]) => Promise<void>) {
  const folder = temporaryFolder()
  const stores: Store[] = []
  try {
    for (let n = 0; n < count; n += 1) {
      const opened = await openStore(`sqlite:${join(folder.path, 'evertick.db')}`, scriptContext(`s${n}`))
      await opened.migrator.up(t0)
      stores.push(opened.store)
    }
    await run(stores, stores.map(byHand))
  } finally {
    for (const store of stores) await store.close()
    folder.remove()
  }
}

/** What a process of its own printed, once it has ended. */
async function runProcess(...args: readonly string[]): Promise<{ applied: string[]; completed: string[] }> {
  const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: 'pipe' })
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.err += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(printed.err).toBe('')
  expect(code).toBe(0)
  return JSON.parse(printed.out) as { applied: string[]; completed: string[] }
}

describe('two stores on one file', () => {
  test('an execution is claimed by one of two that ask at once', async () => {
    await withStores(2, async ([first], [one, two]) => {
      await one?.work('n1')
      await one?.work('n2')
      await one?.create('a', jobSpec({ schedule: null }))
      const made = Array.from({ length: 40 }, (_, n) => newExecution(`e${n}`, 'a'))
      await first?.work.enqueueExecutions(made)
      const claims = await Promise.all(
        Array.from({ length: 20 }, async (_, n) =>
          n % 2 === 0 ? await one?.claim(t0, { limit: 4 }) : await two?.claim(t0, { limit: 4, nodeId: 'n2' }),
        ),
      )
      const claimed = claims.flatMap((batch) => batch ?? []).map(({ id }) => id)
      expect(claimed.sort()).toEqual(made.map(({ id }) => id).sort())
    })
  })

  test('one of two that stand for election at once is elected', async () => {
    await withStores(2, async (stores) => {
      for (let round = 0; round < 20; round += 1) {
        const now = t0 + round * 60 * second
        const elected = await Promise.all(
          stores.map((store, n) => store.cluster.electLeader({ nodeId: `n${n}`, now, leaseMs: 10 * second })),
        )
        expect(elected.filter((term) => term !== null)).toHaveLength(1)
      }
      expect(await stores[0]?.cluster.listTerms({ limit: 100 })).toHaveLength(20)
    })
  })

  test('a pause and an account at once leave each tick one account, whoever is first', async () => {
    await withStores(2, async ([first], [one, two]) => {
      const led = await one?.lead()
      if (one === undefined || two === undefined || led === undefined) throw new Error('no stores')
      for (let round = 0; round < 20; round += 1) {
        const name = `j${round}`
        await one.create(name, jobSpec({ overlap: 'allow' }), t0)
        const both = [() => one.account(led, at(10)), () => two.pause(name, at(10))]
        if (round % 2 === 0) both.reverse()
        await Promise.all(both.map((act) => act()))
        expect(await one.ledger(name)).toEqual(['10 fired'])
        expect(await two.job(name)).toMatchObject({ state: 'paused', accountedUntil: at(10) + 1 })
      }
      expect(await first?.ticks.auditLedger({})).toMatchObject({ ticks: 20, unaccounted: 0, doubled: 0 })
    })
  })

  test('a write of one is a sign to look for the other', async () => {
    await withStores(2, async ([first, other]) => {
      const before = await other?.changes()
      await first?.jobs.createJob(newJob('a'))
      expect(await other?.changes()).not.toBe(before)
      expect(await other?.jobs.findJob('a')).toMatchObject({ name: 'a' })
    })
  })

  test('while another program holds the file, reads go on and writes wait for their turn', async () => {
    const folder = temporaryFolder()
    const path = join(folder.path, 'evertick.db')
    const { store, migrator } = await openStore(`sqlite:${path}`, scriptContext())
    await migrator.up(t0)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const writing = store.jobs.createJob(newJob('a'))
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      expect(await store.jobs.findJob('a')).toBeNull()
    }
    other.exec('COMMIT')
    other.close()
    await writing
    expect(await store.jobs.findJob('a')).toMatchObject({ name: 'a' })
    await store.close()
    folder.remove()
  })

  test('a store that is closed at once waits no longer for who holds the file', async () => {
    const folder = temporaryFolder()
    const path = join(folder.path, 'evertick.db')
    const { store, migrator } = await openStore(`sqlite:${path}`, scriptContext())
    await migrator.up(t0)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const [written, closed] = await Promise.allSettled([store.jobs.createJob(newJob('a')), store.close(0)])
    // Whoever holds it still does: nobody waited for this.
    other.exec('COMMIT')
    expect(written).toMatchObject({ reason: { code: 'database_busy' } })
    expect(closed.status).toBe('fulfilled')
    expect(other.prepare('SELECT count(*) AS jobs FROM evertick_jobs').get()).toEqual({ jobs: 0 })
    other.close()
    folder.remove()
  })

  test('a verb that fails leaves the others of its commit alone', async () => {
    await withStores(1, async ([store]) => {
      const results = await Promise.allSettled([
        store?.jobs.createJob(newJob('a')),
        store?.jobs.createJob({ ...newJob('a'), id: idOf('second') }),
        store?.jobs.createJob(newJob('b')),
        store?.executions.triggerJob(
          'nobody',
          { id: idOf('m'), force: false, input: 1, metadata: {} },
          { now: t0, actor: 'x' },
        ),
        store?.work.enqueueExecutions([newExecution('e1', 'b')]),
      ])
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(await store?.jobs.countJobs()).toEqual({ active: 2 })
    })
  })

  test('a closed store says so', async () => {
    await withStores(1, async ([store]) => {
      await store?.close()
      await expect(store?.ping()).rejects.toMatchObject({ code: 'database_closed' })
      await expect(store?.jobs.createJob(newJob('a'))).rejects.toMatchObject({ code: 'database_closed' })
    })
  })
})

describe('five writers on one file', () => {
  test('interleaved in one process, all their work is done once', async () => {
    await withStores(5, async (stores, hands) => {
      await hands[0]?.create('a', jobSpec({ schedule: null }))
      await Promise.all(hands.map((hand, n) => hand.work(`n${n}`)))
      const done = await Promise.all(
        hands.map(async (hand, n) => {
          const completed: string[] = []
          for (let k = 0; k < 20; k += 1) {
            await stores[n]?.work.enqueueExecutions([newExecution(`${n}-${k}`, 'a')])
            for (const claim of await hand.claim(t0, { nodeId: `n${n}`, limit: 2 })) {
              const { refused } = await hand.finish(claim, t0)
              if (refused.length === 0) completed.push(claim.id)
            }
          }
          return completed
        }),
      )
      const last = await hands[0]?.drain(t0)
      const ids = [...done.flat(), ...(last ?? []).map(({ id }) => id)]
      expect(ids).toHaveLength(100)
      expect(new Set(ids).size).toBe(100)
    })
  })

  test('five processes migrate and work at once: one migrates, each execution is done once', async () => {
    const folder = temporaryFolder()
    try {
      const path = join(folder.path, 'evertick.db')
      const results = await Promise.all([1, 2, 3, 4, 5].map((n) => runProcess(path, `p${n}`, '20')))
      expect(results.flatMap(({ applied }) => applied)).toEqual(migrations)
      const completed = results.flatMap((result) => result.completed)
      expect(new Set(completed).size).toBe(completed.length)
      const { store } = await openStore(`sqlite:${path}`, scriptContext())
      const counted = await store.executions.countExecutions()
      expect(counted).toEqual({
        completed: completed.length,
        ...(completed.length < 100 ? { pending: 100 - completed.length } : {}),
      })
      await store.close()
    } finally {
      folder.remove()
    }
  })
})
