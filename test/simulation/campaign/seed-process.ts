/**
 * A process that runs seeds, as many as it is sent. A planted bug must be there before the first module of the product
 * is loaded, so nothing of the product is imported above that.
 */
import { bugNamed } from '../planted/bugs.ts'
import { plant } from '../planted/plant.ts'
import type { Order } from './seed-runner.ts'

const [, , bug = ''] = process.argv
const planting = bug === '' ? null : plant(bugNamed(bug))
const { runSeed } = await import('./run-seed.ts')

// Nobody is left to work for.
process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => void obey(order))
process.send?.('ready')

async function obey({ seed, mode }: Order): Promise<void> {
  const outcome = await runSeed(seed, mode)
  // Not before: some of the product is loaded only when a store is opened.
  planting?.assertGrown()
  process.send?.({ seed, ...outcome })
}
