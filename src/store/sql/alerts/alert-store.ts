import type { AlertStore, ChangedAlerts } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { deleteAlertRule, listAlertRules, putAlertRule } from './alert-rules.ts'
import { changeAlerts, WatchLost } from './change-alerts.ts'
import { answerAlert, countAlerts, findAlert, listAlerts, purgeAlerts } from './list-alerts.ts'
import { lookAtAlerts } from './look-at-alerts.ts'
import { tellAlerts } from './tell-alerts.ts'

export function alertStore({ context, read, write, writeAndTell }: Scripts): AlertStore {
  return {
    lookAtAlerts: (now) => read(() => lookAtAlerts(now)),
    changeAlerts: (request) => {
      const written = () => changeAlerts(request, context)
      // A pause is a change of a job, which every node hears of.
      const acts = request.changes.some((change) => change.acts)
      return unlessWatchLost(acts ? writeAndTell(written, 'jobs', 'work') : write(written))
    },
    tellAlerts: (request) => write(() => tellAlerts(request)),
    listAlerts: (query) => read(() => listAlerts(query)),
    findAlert: (id) => read(() => findAlert(id)),
    countAlerts: (now) => read(() => countAlerts(now)),
    answerAlert: (id, answer, by) => write(() => answerAlert(id, answer, by)),
    purgeAlerts: (before) => write(() => purgeAlerts(before)),
    listAlertRules: () => read(() => listAlertRules()),
    putAlertRule: (rule, by) => write(() => putAlertRule(rule, by)),
    deleteAlertRule: (name, by) => write(() => deleteAlertRule(name, by)),
  }
}

/** A leader whose fence was refused has changed nothing. */
async function unlessWatchLost(written: Promise<ChangedAlerts>): Promise<ChangedAlerts> {
  try {
    return await written
  } catch (error) {
    if (error instanceof WatchLost) return error.result
    throw error
  }
}
