/** How it works: who gets a lease, who loses it, and what a job is meanwhile. */
import { describe, expect, test } from 'vitest'
import { type Section } from '../describe-document.ts'
import { bench, mysqlUrl, pass, shared } from './bench.ts'

export const leaseFlowSections: Readonly<Record<string, Section>> = {
  'Lease Acquisition Flow': () => {
    describe.skipIf(mysqlUrl === null)('of many workers', () => {
      test('one gets a job, and the others get none', async () => {
        const { jobs, queue } = await bench()
        const others = await Promise.all(Array.from({ length: 5 }, () => bench(shared().url, queue)))
        await jobs.createJob({})
        const got = await Promise.all(others.map((other, n) => other.jobs.acquireLease(`w${n}`, 300)))
        expect(got.filter((job) => job !== null)).toHaveLength(1)
      })

      test('none gets one that is leased, done, failed, or tried three times', async () => {
        const { jobs } = await bench()
        const [done, failed, tried] = [
          await jobs.createJob(1),
          await jobs.createJob(2),
          await jobs.createJob(3),
        ]
        for (let taken = 0; taken < 3; taken += 1) await jobs.acquireLease('w1', 300)
        expect(await jobs.acquireLease('w2', 300)).toBeNull()
        await jobs.releaseLease(done.id, 'w1', 'done')
        await jobs.releaseLease(failed.id, 'w1', 'failed', 'x')
        for (let times = 0; times < 2; times += 1) {
          await jobs.releaseLease(tried.id, 'w1', 'retry', 'x')
          expect(await jobs.acquireLease('w1', 300)).toMatchObject({ id: tried.id })
        }
        await jobs.releaseLease(tried.id, 'w1', 'retry', 'x')
        expect(await jobs.acquireLease('w2', 300)).toBeNull()
      })

      test('a lease is from now, by the seconds that were asked for', async () => {
        const { jobs, clock } = await bench()
        await jobs.createJob({})
        expect((await jobs.acquireLease('w1'))?.locked_until).toEqual(new Date(clock.now() + 300_000))
      })
    })
  },
  'Recovery Flow': () => {
    describe.skipIf(mysqlUrl === null)('what expired', () => {
      test('goes back to be retried, or has failed with its third attempt', async () => {
        const { jobs, clock } = await bench()
        const { id } = await jobs.createJob({})
        for (const status of ['retry', 'retry', 'failed']) {
          await jobs.acquireLease('w1', 60)
          pass(clock, 60)
          expect(await jobs.resetExpiredLeases()).toBe(1)
          expect(await jobs.findById(id)).toMatchObject({ status, locked_by: null, locked_until: null })
        }
      })

      test('is all that is reset', async () => {
        const { jobs, clock } = await bench()
        const [stuck, kept] = [await jobs.createJob(1), await jobs.createJob(2)]
        await jobs.acquireLease('w1', 60)
        pass(clock, 60)
        await jobs.acquireLease('w2', 60)
        await jobs.createJob(3)
        expect(await jobs.resetExpiredLeases()).toBe(1)
        expect(await jobs.findById(stuck.id)).toMatchObject({ status: 'retry' })
        expect(await jobs.findById(kept.id)).toMatchObject({ status: 'processing', locked_by: 'w2' })
      })
    })
  },
  'Job Status Lifecycle': () => {
    test.skipIf(mysqlUrl === null)('pending, processing, retry by an expiry, processing, done', async () => {
      const { jobs, clock } = await bench()
      const { id } = await jobs.createJob({})
      const seen: (string | undefined)[] = []
      const look = async () => void seen.push((await jobs.findById(id))?.status)
      await look()
      await jobs.acquireLease('w1', 60)
      await look()
      pass(clock, 60)
      await jobs.resetExpiredLeases()
      await look()
      await jobs.acquireLease('w1', 60)
      await look()
      await jobs.releaseLease(id, 'w1', 'done')
      await look()
      expect(seen).toEqual(['pending', 'processing', 'retry', 'processing', 'done'])
    })
  },
}
