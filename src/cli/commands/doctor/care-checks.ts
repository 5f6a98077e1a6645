/** What a setup needs once it is more than a try: somebody is told, and there is a backup. Its first day asks for nothing. */
import { backupAction } from '../../../app/backup/note-backup.ts'
import type { ListedJob } from '../../../app/job/list-jobs.ts'
import { heardTypes } from '../../../core/notice/notice.ts'
import { counted } from '../../output/count-words.ts'
import { durationWords } from '../../output/times.ts'
import type { ExaminedSystem } from '../../system.ts'
import { type Check, ok, warn } from './check.ts'

const dayMs = 86_400_000
const oldBackupDays = 7

export async function checkCare(evertick: ExaminedSystem, jobs: readonly ListedJob[]): Promise<Check[]> {
  const now = Date.now()
  const isNew = jobs.every(({ createdAt }) => now - createdAt.getTime() < dayMs)
  return [await checkChannel(evertick, isNew), await checkBackup(evertick, isNew, now)]
}

async function checkChannel(evertick: ExaminedSystem, isNew: boolean): Promise<Check> {
  const webhooks = await evertick.webhooks.list()
  const heard = webhooks.filter(
    ({ events, isPaused }) => !isPaused && heardTypes(events).includes('alert.opened'),
  )
  if (heard.length > 0) return ok('alert channel', `Alerts are told to ${counted(heard.length, 'webhook')}.`)
  const none = 'Alerts are told to nobody: they are on the dashboard, in the log, and here.'
  if (isNew) return ok('alert channel', none)
  return warn(
    'alert channel',
    none,
    'Name an address: `evertick webhooks create ops --to URL --event "alert.*"`.',
  )
}

/** Only those that `evertick backup` made are known: a server may have better ones. */
async function checkBackup(evertick: ExaminedSystem, isNew: boolean, now: number): Promise<Check> {
  const { entries } = await evertick.auditLog.list({ action: backupAction, limit: 1 })
  const [last] = entries
  if (last === undefined) {
    const none = 'None was made by `evertick backup`.'
    if (isNew) return ok('backup', none)
    return warn(
      'backup',
      none,
      'Make one each night: docs/guide/backup.md. One made otherwise is not seen here.',
    )
  }
  const age = now - last.at.getTime()
  const said = `The last one was made ${durationWords(age)} ago.`
  if (age < oldBackupDays * dayMs) return ok('backup', said)
  return warn('backup', said, 'Look why no new one was made: `evertick backup FILE`.')
}
