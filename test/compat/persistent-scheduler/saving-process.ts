/** Saves as fast as it can, and says so after each: to be killed at any moment. */
import { diskFiles } from '../../../src/compat/persistent-scheduler/disk-files.ts'
import { StateFile } from '../../../src/compat/persistent-scheduler/state-file.ts'
import { configured, say, sayingLogger } from '../../process/said.ts'

const { path } = configured() as { path: string }
const file = new StateFile(path, diskFiles, sayingLogger)
const found = await file.load(0)
const filler = 'x'.repeat(100_000)

for (let count = (found?.jobs[0]?.currentRunCount ?? 0) + 1; ; count += 1) {
  const job = { name: filler, schedule: '* * * * *', enabled: true, catchUp: true, maxMissedRuns: 5 }
  const jobs = [{ ...job, currentRunCount: count, lastRun: null, nextRun: null }]
  await file.save({ timestamp: new Date(count).toISOString(), jobs })
  say('saved', { count })
}
