/** One of several processes on one file: migrates, enqueues, claims and completes. Run by sqlite-processes.test.ts. */
import { openStore } from '../../src/store/open-store.ts'
import { newExecution, newJob, node, scriptContext, t0 } from './builders.ts'
import { byHand } from './by-hand.ts'

const [path, id, count] = process.argv.slice(2) as [string, string, string]
const { store, migrator } = await openStore(`sqlite:${path}`, scriptContext(id))
const applied = await migrator.up(t0)
const hand = byHand(store)
await store.cluster.registerNode(node(id), ['work'])
await store.jobs.createJob(newJob(id))
const completed: string[] = []
for (let n = 0; n < Number(count); n += 1) {
  await store.work.enqueueExecutions([newExecution(`${id}-${n}`, id)])
  for (const claim of await hand.claim(t0, { nodeId: id, limit: 3 })) {
    const { refused } = await hand.finish(claim, t0, { state: 'completed', result: id }, id)
    if (refused.length === 0) completed.push(claim.id)
  }
}
await store.close()
process.stdout.write(JSON.stringify({ applied, completed }))
