import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Evertick } from '../../src/index.ts'
import { effect, order } from './kill-jobs.ts'
import { expectAttemptsWithinLimits, expectQuiet, expectTermsApart, Scene } from './scene.ts'
import { until } from './until.ts'

const kills = Number(process.env.EVERTICK_KILLS ?? 3)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

/** Enqueues orders and effects without a pause until it is told to stop; keeps what was acknowledged. */
function produce(evertick: Evertick) {
  const orders: { readonly number: number; readonly id: string }[] = []
  const effects: string[] = []
  const stopping = new AbortController()
  const done = (async () => {
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      orders.push({ number, id: (await evertick.enqueue(order, { number })).id })
      if (number % 3 === 0) effects.push((await evertick.enqueue(effect, { number })).id)
      await delay(5)
    }
  })()
  return {
    orders,
    effects,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

test(
  `kill -9 of the only node, ${kills} times at random moments: every tick accounted once, every order once, nothing lost`,
  async () => {
    const startedAt = performance.now()
    const effectsFile = join(scene.folder, 'effects')
    const written = () =>
      (existsSync(effectsFile) ? readFileSync(effectsFile, 'utf8').split('\n') : []).slice(0, -1)
    const evertick = await scene.producer({ jobs: [order, effect] })
    scene.door.exec('CREATE TABLE orders (number INTEGER NOT NULL, execution_id TEXT NOT NULL)')
    const producer = produce(evertick)

    for (let kill = 0; kill < kills; kill += 1) {
      const child = scene.start('kill-node.ts', { effects: effectsFile })
      // Every third one is killed as soon as it leads, while it repairs; the others after some work.
      if (kill % 3 === 2) await child.heard('elected')
      const work = written().length + 1 + Math.floor(Math.random() * 100)
      await until('some work', () => written().length >= work)
      child.send('SIGKILL')
      expect((await child.exited).signal).toBe('SIGKILL')
    }

    const last = scene.start('kill-node.ts', { effects: effectsFile })
    await last.heard('elected')
    await producer.stop()
    await scene.settled()
    const now = Date.now()
    const behind = 'evertick_jobs WHERE next_due_at IS NOT NULL AND accounted_until <= ?'
    await until('the cursors to pass the end of the work', () => scene.count(behind, now) === 0)
    last.send('SIGTERM')
    expect(await last.exited).toEqual({ code: 0, signal: null })

    const audit = await evertick.audit()
    expect(audit).toMatchObject({ ok: true, unaccounted: 0, doubled: 0, findings: [], jobs: 5 })
    const terms = expectTermsApart(scene, 1_000)
    expectAttemptsWithinLimits(scene)
    expectQuiet(scene.children)

    const completed = new Set(
      scene.rows(`SELECT id FROM evertick_job_executions WHERE state = 'completed'`).map(({ id }) => id),
    )
    const acknowledged = [...producer.orders.map(({ id }) => id), ...producer.effects]
    expect(acknowledged.filter((id) => !completed.has(id))).toEqual([])
    expect(scene.rows('SELECT number, execution_id AS id FROM orders ORDER BY number')).toEqual(
      producer.orders,
    )

    // Outside the database it is at least once: once per counted attempt at most.
    expect(new Set(written()).size).toBe(written().length)
    const touched = new Set(written().map((line) => line.split(' ')[0]))
    expect(producer.effects.filter((id) => !touched.has(id))).toEqual([])

    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    const crashed = scene.count(`evertick_attempts WHERE outcome = 'crashed'`)
    process.stdout.write(
      `${kills} kills, ${terms} terms, ${producer.orders.length} orders, ${producer.effects.length} effects ` +
        `(${written().length} written), ${audit.ticks} ticks, ${crashed} crashed attempts, ${seconds} s\n`,
    )
  },
  60_000 + kills * 10_000,
)
