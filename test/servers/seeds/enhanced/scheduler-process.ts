/** A process as the page starts it: `new EnhancedScheduler({ … }).run()`, saying what it runs. */
import { EnhancedScheduler } from '../../../../src/index.ts'
import { configured, say, sayingLogger } from '../../../process/said.ts'

const { slow = false } = configured() as { slow?: boolean }

const scheduler = new EnhancedScheduler({
  logger: { ...sayingLogger, info: (message) => say('info', { message }) },
  enableApiSync: true,
  apiSyncInterval: 300,
  scheduleCheckInterval: 60,
  leader: { lease: '1s', heartbeat: '250ms' },
  worker: { lease: '1s' },
  fetchSchedules: () => [{ schedule_id: 'from-api', domain: 'api.example', cron: '0 0 1 1 *' }],
  async execute(schedule, context) {
    say('ran', { schedule: schedule.scheduleId, tick: context.scheduledFor.toISOString() })
    if (slow) await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
    return { scanId: context.executionId }
  },
})
say('ended', { signal: await scheduler.run() })
