import { EvertickError } from '../../../core/error.ts'
import type { CalendarStore, ChangeContext } from '../../store.ts'
import { changeJob } from '../jobs/change-job.ts'
import { oneMoment, type Scripts } from '../runtime/scripts.ts'
import {
  calendarMoved,
  deleteCalendar,
  findCalendar,
  jobsBehind,
  listCalendars,
  listCalendarUses,
  putCalendar,
  unmovedCalendars,
} from './calendars.ts'

export function calendarStore(scripts: Scripts): CalendarStore {
  const { read, write } = scripts
  return {
    putCalendar: (name, rules, by) => write(() => putCalendar(name, rules, by)),
    findCalendar: (name) => read(() => findCalendar(name)),
    listCalendars: () => read(() => listCalendars()),
    listCalendarUses: () => read(() => listCalendarUses(), oneMoment),
    deleteCalendar: (name, by) => write(() => deleteCalendar(name, by)),
    moveCalendarJobs: async (by) => await moveCalendarJobs(scripts, by),
  }
}

async function moveCalendarJobs(
  { read, write, writeAndTell, context }: Scripts,
  by: ChangeContext,
): Promise<number> {
  let moved = 0
  for (const calendar of await read(() => unmovedCalendars())) {
    for (const id of await read(() => jobsBehind(calendar), oneMoment)) {
      try {
        await writeAndTell(() => changeJob(id, { kind: 'calendar' }, by, context), 'jobs', 'work')
        moved += 1
      } catch (error) {
        // It was deleted meanwhile, or cannot be evaluated: none of the others waits for that.
        if (!(error instanceof EvertickError) || error.kind === 'unavailable') throw error
      }
    }
    await write(() => calendarMoved(calendar))
  }
  return moved
}
