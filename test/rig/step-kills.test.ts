import { openStore } from '../../src/store/open-store.ts'
import { Scene } from '../process/scene.ts'
import { scriptContext, t0 } from '../store/builders.ts'
import { describeStepKills } from './step-kills.ts'

describeStepKills('SQLite', Number(process.env['EVERTICK_STEP_KILLS'] ?? 1), async () => {
  const scene = new Scene()
  const { store, migrator } = await openStore(scene.url, scriptContext())
  await migrator.up(t0)
  return {
    nodeUrl: scene.url,
    store,
    hasOneWriter: true,
    sql: async (text) => scene.rows(text.replace('@live_', '@job_').replaceAll('@', 'evertick_')),
    async close() {
      await store.close()
      await scene.close()
    },
  }
})
