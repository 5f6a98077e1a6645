import { Scene } from '../process/scene.ts'
import { describeStepKills } from './step-kills.ts'

describeStepKills('SQLite', Number(process.env['EVERTICK_STEP_KILLS'] ?? 1), async () => {
  const scene = new Scene()
  const evertick = await scene.producer({})
  await evertick.ping()
  const named = (text: string) =>
    text.replace('@live_executions', 'evertick_job_executions').replace('@', 'evertick_')
  return {
    nodeUrl: scene.url,
    sql: async (text) => scene.rows(named(text)),
    close: () => scene.close(),
  }
})
