/** A job's schedule in words. They were a quarter of the time of a list: the same few schedules are described again and again. */
import { describeSchedule } from '../../core/schedule/describe-schedule.ts'
import type { Schedule } from '../../core/schedule/schedule.ts'

const most = 2_000
const said = new Map<string, string>()

/** `name` decides what an `H` in a cron stands for. */
export function scheduleWords(schedule: Schedule, name: string): string {
  const key = JSON.stringify([schedule, 'cron' in schedule && schedule.cron.includes('H') ? name : null])
  const known = said.get(key)
  if (known !== undefined) return known
  const words = describeSchedule(schedule, { name })
  // A fleet of a million different schedules must not fill the memory with words.
  if (said.size >= most) said.clear()
  said.set(key, words)
  return words
}
