/** A process that prunes history once. Run by folds-killed.ts, which says where it dies. */
import { openStore } from '../../src/store/open-store.ts'
import { scriptContext } from '../store/builders.ts'

const [url = '', now] = process.argv.slice(2)
const { store } = await openStore(url, scriptContext('child'))
await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: Number(now) })
await store.close()
