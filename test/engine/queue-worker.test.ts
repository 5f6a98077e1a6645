import { expect, test } from 'vitest'
import { Evertick } from '../../src/evertick.ts'
import { defineJob } from '../../src/index.ts'
import type { ClaimRequest, ClaimResult, Store } from '../../src/store/store.ts'
import { databaseFile } from '../promises/support.ts'

function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Holds the answer to the next claim that finds no free slot. */
class HeldClaim {
  readonly asked = gate()
  readonly answer = gate()
  armed = false

  watch(store: Store): Store {
    const claimExecutions = async (request: ClaimRequest): Promise<ClaimResult> => {
      const claimed = await store.work.claimExecutions(request)
      if (this.armed && request.start === 0 && claimed.claimed.length > 0) {
        this.armed = false
        this.asked.open()
        await this.answer.opened
      }
      return claimed
    }
    return { ...store, work: { ...store.work, claimExecutions } }
  }
}

test('a reservation that arrives when every slot has become free is started', async () => {
  const held = new HeldClaim()
  const busy = gate()
  const quick = defineJob({ name: 'quick', run: () => 'done' })
  const slow = defineJob({ name: 'slow', run: () => busy.opened })
  const evertick = await Evertick.openWith(
    { database: 'sqlite::memory:', jobs: [quick, slow], queues: { default: { concurrency: 1 } } },
    { wrap: (store) => held.watch(store) },
  )
  await evertick.start()
  // Runs that have been timed allow a reserve.
  await evertick.result((await evertick.enqueue(quick)).id)

  const started = gate()
  evertick.on('execution:started', started.open)
  const first = await evertick.enqueue(slow)
  await started.opened
  held.armed = true
  const second = await evertick.enqueue(quick)
  await held.asked.opened
  busy.open()
  await evertick.result(first.id)
  held.answer.open()

  expect(await evertick.result(second.id)).toBe('done')
  await evertick.stop()
})

test('a reservation that arrives during a stop, when every slot has become free, is given back', async () => {
  const held = new HeldClaim()
  const busy = gate()
  const quick = defineJob({ name: 'quick', run: () => 'done' })
  const slow = defineJob({ name: 'slow', run: () => busy.opened })
  const folder = databaseFile()
  const open = () =>
    Evertick.openWith(
      // Nothing but the worker: a stop begins with it.
      {
        database: folder.url,
        roles: ['worker'],
        jobs: [quick, slow],
        queues: { default: { concurrency: 1 } },
      },
      { wrap: (store) => held.watch(store) },
    )
  const evertick = await open()
  await evertick.start()
  await evertick.result((await evertick.enqueue(quick)).id)

  const started = gate()
  evertick.on('execution:started', started.open)
  await evertick.enqueue(slow)
  await started.opened
  held.armed = true
  const second = await evertick.enqueue(quick)
  await held.asked.opened
  const stopped = evertick.stop()
  busy.open()
  await new Promise((resolve) => setImmediate(resolve))
  held.answer.open()
  await stopped

  const after = await open()
  expect(await after.executions.get(second.id)).toMatchObject({ state: 'pending', attempt: 0 })
  await after.stop()
})
