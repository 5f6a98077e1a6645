/** A job's parts as sentences. */
import type { Job } from '../../../../src/client/index.ts'

/** One line: the function's name, the call, the command. */
export function handlerWords(handler: Job['handler']): string {
  switch (handler.type) {
    case 'function':
      return handler.name
    case 'http':
      return `${handler.method ?? (handler.body === undefined ? 'GET' : 'POST')} ${handler.url}`
    case 'command':
      return [handler.command, ...(handler.args ?? [])].join(' ')
  }
}

export function managerWords(managedBy: string): string {
  if (managedBy === 'api') return 'Here: made over the API or in the dashboard'
  if (managedBy === 'code') return 'By code: defined with defineJob'
  return `By ${managedBy}`
}

/** Whether something beside this page writes its definition. */
export function isManaged(job: Pick<Job, 'managedBy'>): boolean {
  return job.managedBy !== 'api'
}
