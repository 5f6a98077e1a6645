/** What is written in the form, and how it becomes a definition and back. Texts stay texts: the server reads them. */
import type { Body, Job } from '../../../../src/client/index.ts'
import { browserZone } from '../../words/times.ts'
import type { Definition } from '../job/definition.ts'

export type NewJob = Body<'POST /jobs'>
export type Schedule = NonNullable<NewJob['schedule']>
export const scheduleKinds = ['cron', 'every', 'fixedDelay', 'at', 'none'] as const
export type ScheduleKind = (typeof scheduleKinds)[number]

export interface Pair {
  name: string
  value: string
}

export interface Draft {
  name: string
  description: string
  tags: string
  handlerType: Job['handler']['type']
  functionName: string
  url: string
  method: string
  headers: Pair[]
  body: unknown
  expect: string
  command: string
  args: string
  env: Pair[]
  cwd: string
  scheduleKind: ScheduleKind
  cron: string
  timezone: string
  every: string
  anchor: string
  fixedDelay: string
  at: string | null
  catchUp: {
    policy: NonNullable<Job['catchUp']['policy']>
    maxMissedRuns: number
    window: string
    grace: string
  }
  overlap: Job['overlap']
  maxConcurrent: number
  retry: { attempts: number; base: string; factor: number; max: string }
  timeout: string
  queue: string
  priority: number
  input: unknown
  metadata: unknown
  runNow: boolean
}

export function emptyDraft(): Draft {
  return {
    name: '',
    description: '',
    tags: '',
    handlerType: 'function',
    functionName: '',
    url: '',
    method: '',
    headers: [],
    body: undefined,
    expect: '2xx',
    command: '',
    args: '',
    env: [],
    cwd: '',
    scheduleKind: 'cron',
    cron: '0 3 * * *',
    timezone: browserZone,
    every: '15m',
    anchor: 'epoch',
    fixedDelay: '5m',
    at: null,
    catchUp: { policy: 'latest', maxMissedRuns: 100, window: '', grace: '1m' },
    overlap: 'skip',
    maxConcurrent: 1,
    retry: { attempts: 3, base: '1s', factor: 2, max: '1h' },
    timeout: '',
    queue: 'default',
    priority: 0,
    input: undefined,
    metadata: undefined,
    runNow: false,
  }
}

export function draftOf(definition: Definition): Draft {
  const draft = emptyDraft()
  const { name, handler, schedule, catchUp, retry, ...options } = definition as Definition & Partial<NewJob>
  const kept = Object.entries(options).filter(([key]) => key in draft && key !== 'tags')
  return {
    ...draft,
    ...Object.fromEntries(kept),
    ...handlerDraft(handler),
    ...scheduleDraft(schedule),
    name,
    tags: (options.tags ?? []).join(', '),
    catchUp: { ...draft.catchUp, ...(catchUp as Partial<Draft['catchUp']> | undefined) },
    retry: { ...draft.retry, ...(retry as Partial<Draft['retry']> | undefined) },
  }
}

function handlerDraft(handler: Job['handler']): Partial<Draft> {
  switch (handler.type) {
    case 'function':
      return { handlerType: 'function', functionName: handler.name }
    case 'http':
      return {
        handlerType: 'http',
        url: handler.url,
        method: handler.method ?? '',
        headers: pairsOf(handler.headers),
        body: handler.body,
        expect: [handler.expect ?? '2xx'].flat().join(', '),
      }
    case 'command':
      return {
        handlerType: 'command',
        command: handler.command,
        args: (handler.args ?? []).join('\n'),
        env: pairsOf(handler.env),
        cwd: handler.cwd ?? '',
      }
  }
}

function pairsOf(record: Readonly<Record<string, string>> | undefined): Pair[] {
  return Object.entries(record ?? {}).map(([name, value]) => ({ name, value }))
}

function scheduleDraft(schedule: Schedule | undefined): Partial<Draft> {
  if (schedule === undefined) return { scheduleKind: 'none' }
  if ('cron' in schedule)
    return { scheduleKind: 'cron', cron: schedule.cron, timezone: schedule.timezone ?? 'UTC' }
  if ('every' in schedule)
    return { scheduleKind: 'every', every: String(schedule.every), anchor: schedule.anchor ?? '' }
  if ('fixedDelay' in schedule) return { scheduleKind: 'fixedDelay', fixedDelay: String(schedule.fixedDelay) }
  return { scheduleKind: 'at', at: schedule.at }
}
