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

export const overlapSentences: Readonly<Record<Job['overlap'], string>> = {
  skip: 'A tick that is due while the run before still goes on is skipped.',
  buffer_one: 'A tick that is due while the run before still goes on waits; at most one waits.',
  buffer_all: 'Ticks that are due while the run before still goes on wait in line.',
  cancel_running: 'The next tick cancels the run before, and takes its place.',
  allow: 'Runs may go on beside each other.',
}

export function catchUpSentence({ policy = 'latest', maxMissedRuns, window, grace }: Job['catchUp']): string {
  const how = {
    none: 'Missed ticks do not run; they are written down as skipped.',
    latest: 'Of missed ticks the newest runs, and stands for the others.',
    all: `Missed ticks run one after the other, at most the newest ${(maxMissedRuns ?? 100).toLocaleString('en')}.`,
  }[policy]
  const oldest =
    window === undefined || policy === 'none' ? '' : ` None that was missed more than ${window} ago.`
  return `${how}${oldest} A tick that is late by up to ${grace ?? '60s'} simply ran.`
}
