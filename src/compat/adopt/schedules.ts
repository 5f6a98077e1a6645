/** Rows of somebody's own `schedules` as the schedules of `EnhancedScheduler`: read as an API's entries are. */
import type { CreateJob } from '../../app/job/jobs.ts'
import type { Evertick } from '../../evertick.ts'
import { readEntries } from '../../sources/api/schedule-entry.ts'
import type { ForeignRow } from '../../store/foreign.ts'
import { sourcedJob } from '../enhanced-scheduler/api-source.ts'
import { type AdoptedJobs, type AdoptJobs, adoptJobs } from './adopt-jobs.ts'
import { flagIn, otherColumns, recordIn, textIn, Unreadable } from './cells.ts'

const ownColumns = [
  'id',
  'schedule_id',
  'domain',
  'domain_config_id',
  'profile',
  'cron',
  'cron_expression',
  'every',
  'frequency',
  'timezone',
  'time_zone',
  'enabled',
  'is_active',
  'metadata',
  'created_at',
  'updated_at',
  'last_run',
  'next_run',
  'status',
  'last_status',
]

export async function adoptSchedules(evertick: Evertick, options: AdoptJobs): Promise<AdoptedJobs> {
  return await adoptJobs(
    evertick,
    {
      kind: 'schedules',
      keys: ['id', 'schedule_id'],
      jobOf: jobOfSchedule,
      alsoKnownAs: (row) => textIn(row, 'id'),
    },
    options,
  )
}

function jobOfSchedule(row: ForeignRow) {
  const entry = {
    ...row,
    enabled: flagIn(row, 'enabled', 'is_active') ?? true,
    metadata: { ...otherColumns(row, ownColumns), ...recordIn(row, 'metadata') },
  }
  const { entries, invalid } = readEntries([entry])
  const [read] = entries
  if (read === undefined) throw new Unreadable(invalid[0]?.why ?? 'it is not a schedule')
  const { name, job } = sourcedJob(read)
  const { name: _name, paused: _paused, ...options } = job as CreateJob
  const when = read.cron ?? read.frequency ?? `every ${String(read.every)}`
  const says = `${when}${read.enabled ? '' : ', disabled'}`
  return { id: name, name, job: options, once: false, pausedThere: !read.enabled, says }
}
