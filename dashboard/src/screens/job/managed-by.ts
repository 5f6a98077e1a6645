/** Who defines a job: code, the API, or a source such as a crontab. */
import type { Job } from '../../../../src/client/index.ts'

export function managerWords(managedBy: string): string {
  if (managedBy === 'api') return 'Here: created in the dashboard or through the API'
  if (managedBy === 'code') return 'In code, with defineJob'
  return `By ${managedBy}`
}

/** Whether its definition lives elsewhere, so that it may overwrite an edit made here. */
export function isManaged(job: Pick<Job, 'managedBy'>): boolean {
  return job.managedBy !== 'api'
}
