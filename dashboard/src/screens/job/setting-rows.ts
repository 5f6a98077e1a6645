/** The policies of a job as sentences, one a row; what is not set is not said. */
import type { Job } from '../../../../src/client/index.ts'
import { jobOptions } from '../../../../src/core/job/fields.ts'

export interface SettingRow {
  readonly label: string
  readonly text: string
}

export function settingRows(job: Job): SettingRow[] {
  return jobOptions.flatMap(([, { title, says }]) => {
    const text = says(job)
    return text === null ? [] : [{ label: title, text }]
  })
}
