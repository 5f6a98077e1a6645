/** The state of the form, and how it is filled from a definition. Texts stay texts: the server parses them. */
import type { Body, Job } from '../../../../src/client/index.ts'
import type { Address, SecretReference } from '../../../../src/core/job/handler.ts'
import { browserZone } from '../../words/times.ts'
import type { Definition } from '../job/definition.ts'
import { type OptionDraft, optionDraft } from './option-draft.ts'

export type NewJob = Body<'POST /jobs'>
export type Schedule = NonNullable<NewJob['schedule']>
export const scheduleKinds = ['cron', 'every', 'fixedDelay', 'at', 'none'] as const
export type ScheduleKind = (typeof scheduleKinds)[number]

type SourceHandler = Extract<Job['handler'], { type: 'source' }>

export interface Pair {
  name: string
  /** Or the name of a secret. */
  value: string
  isSecret: boolean
}

export interface Draft {
  name: string
  /** A webhook has a form of its own. */
  handlerType: Exclude<Job['handler']['type'], 'webhook'>
  functionName: string
  /** Or the name of a secret. */
  url: string
  isSecretUrl: boolean
  method: string
  headers: Pair[]
  body: unknown
  expect: string
  command: string
  args: string
  env: Pair[]
  cwd: string
  within: string
  early: string
  /** Kept as it is: the form does not edit it. */
  source: SourceHandler | null
  scheduleKind: ScheduleKind
  cron: string
  timezone: string
  every: string
  anchor: string
  fixedDelay: string
  at: string | null
  /** By path, such as `retry.base`; empty if not given. */
  options: OptionDraft
  input: unknown
  metadata: unknown
  runNow: boolean
}

export function emptyDraft(): Draft {
  return {
    name: '',
    handlerType: 'function',
    functionName: '',
    url: '',
    isSecretUrl: false,
    method: '',
    headers: [],
    body: undefined,
    expect: '2xx',
    command: '',
    args: '',
    env: [],
    cwd: '',
    within: '30m',
    early: '10s',
    source: null,
    scheduleKind: 'cron',
    cron: '0 3 * * *',
    timezone: browserZone,
    every: '15m',
    anchor: 'epoch',
    fixedDelay: '5m',
    at: null,
    options: optionDraft({}),
    input: undefined,
    metadata: undefined,
    runNow: false,
  }
}

export function draftOf(definition: Definition): Draft {
  const { name, handler, schedule, metadata, ...options } = definition as Definition & Partial<NewJob>
  return {
    ...emptyDraft(),
    ...handlerDraft(handler),
    ...scheduleDraft(schedule),
    name,
    options: optionDraft(options),
    metadata,
  }
}

function handlerDraft(handler: Job['handler']): Partial<Draft> {
  switch (handler.type) {
    case 'function':
      return { handlerType: 'function', functionName: handler.name }
    case 'http':
      return {
        handlerType: 'http',
        ...addressDraft(handler.url),
        method: handler.method ?? '',
        headers: pairsOf(handler.headers),
        body: handler.body,
        expect: [handler.expect ?? '2xx'].flat().join(', '),
      }
    case 'source':
      return { handlerType: 'source', source: handler }
    case 'command':
      return {
        handlerType: 'command',
        command: handler.command,
        args: (handler.args ?? []).join('\n'),
        env: pairsOf(handler.env),
        cwd: handler.cwd ?? '',
      }
    case 'check_in':
      return {
        handlerType: 'check_in',
        within: String(handler.within),
        early: String(handler.early ?? '10s'),
      }
    case 'webhook':
      return {}
  }
}

function addressDraft(url: Address): Pick<Draft, 'url' | 'isSecretUrl'> {
  return typeof url === 'string' ? { url, isSecretUrl: false } : { url: url.secret, isSecretUrl: true }
}

function pairsOf(record: Readonly<Record<string, string | SecretReference>> | undefined): Pair[] {
  return Object.entries(record ?? {}).map(([name, value]) =>
    typeof value === 'string'
      ? { name, value, isSecret: false }
      : { name, value: value.secret, isSecret: true },
  )
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
