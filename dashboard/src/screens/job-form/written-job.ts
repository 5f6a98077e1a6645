/** What the form sends: a whole new job, or only what an edit changes. */
import type { Body } from '../../../../src/client/index.ts'
import type { Draft, NewJob, Pair, Schedule } from './draft.ts'
import { optionsOf } from './option-draft.ts'

export function scheduleOf(draft: Draft): Schedule | undefined {
  switch (draft.scheduleKind) {
    case 'cron':
      return { cron: draft.cron.trim(), timezone: draft.timezone.trim() }
    case 'every':
      return { every: draft.every.trim(), ...(draft.anchor === '' ? {} : { anchor: draft.anchor }) }
    case 'fixedDelay':
      return { fixedDelay: draft.fixedDelay.trim() }
    case 'at':
      return draft.at === null ? undefined : { at: draft.at }
    case 'none':
      return undefined
  }
}

function handlerOf(draft: Draft): NonNullable<NewJob['handler']> {
  switch (draft.handlerType) {
    case 'function':
      return { type: 'function', name: draft.functionName.trim() || draft.name.trim() }
    case 'http': {
      const expect = draft.expect
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
      return {
        type: 'http',
        url: draft.isSecretUrl ? { secret: draft.url.trim() } : draft.url.trim(),
        ...(draft.method === '' ? {} : { method: draft.method as 'GET' }),
        ...(draft.headers.length === 0 ? {} : { headers: recordOf(draft.headers) }),
        ...(draft.body === undefined ? {} : { body: draft.body }),
        ...(expect.length === 0 ? {} : { expect: expect.length === 1 ? (expect[0] ?? '2xx') : expect }),
      }
    }
    case 'check_in':
      return { type: 'check_in', within: draft.within.trim(), early: draft.early.trim() }
    case 'source':
      if (draft.source === null) throw new Error('a source stands in a file, and is not made here')
      return draft.source
    case 'command': {
      const args = draft.args.split('\n').filter((line) => line !== '')
      return {
        type: 'command',
        command: draft.command.trim(),
        ...(args.length === 0 ? {} : { args }),
        ...(draft.env.length === 0 ? {} : { env: recordOf(draft.env) }),
        ...(draft.cwd.trim() === '' ? {} : { cwd: draft.cwd.trim() }),
      }
    }
  }
}

function recordOf(pairs: readonly Pair[]): Record<string, string | { secret: string }> {
  return Object.fromEntries(
    pairs
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, value, isSecret }) => [name.trim(), isSecret ? { secret: value.trim() } : value]),
  )
}

export function newJobOf(draft: Draft): NewJob {
  const schedule = scheduleOf(draft)
  return {
    name: draft.name.trim(),
    handler: handlerOf(draft),
    ...(schedule === undefined ? {} : { schedule }),
    ...optionsOf(draft.options),
    metadata: (draft.metadata ?? {}) as Record<string, unknown>,
    ...(draft.input === undefined ? {} : { input: draft.input }),
    ...(draft.runNow ? { runNow: true } : {}),
  }
}

/** Only what has changed since the form was opened, so that an edit leaves the rest alone. */
export function changesOf(before: Draft, after: Draft): Body<'PATCH /jobs/{id}'> {
  const { name: _, runNow: _runNow, ...now } = newJobOf(after)
  const old: Readonly<Record<string, unknown>> = newJobOf(before)
  return Object.fromEntries(
    Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(old[key])),
  )
}
