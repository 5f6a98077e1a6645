/** Handlers as they are shown: as their user wrote them, with what is sealed left out. */
import {
  type HandlerSpec,
  isSealed,
  type Secretive,
  type SecretReference,
  type WebhookHandler,
} from '../../core/job/handler.ts'
import { redacted } from '../../core/job/secret-name.ts'
import { durationText } from '../../core/schedule/duration.ts'
import type { HandlerOptions } from './handler-options.ts'

/** A webhook is made and changed as such: as the handler of a job it is only shown. */
export interface WebhookHandlerView
  extends Pick<
    WebhookHandler,
    'type' | 'format' | 'url' | 'events' | 'jobs' | 'tags' | 'include' | 'body' | 'link'
  > {
  readonly headers: Readonly<Record<string, string | SecretReference>>
}

export type HandlerView = HandlerOptions | WebhookHandlerView

export function handlerView(handler: HandlerSpec): HandlerView {
  switch (handler.type) {
    case 'function':
      return handler
    case 'http': {
      const { type, url, method, headers, body, expect } = handler
      return {
        type,
        url,
        ...(method === null ? {} : { method }),
        headers: shownValues(headers),
        ...(body === null ? {} : { body }),
        expect,
      }
    }
    case 'source': {
      const { headers, items, prefix, maxRemovals, ...kept } = handler
      return {
        ...kept,
        headers: shownValues(headers),
        ...(items === null ? {} : { items }),
        ...(prefix === '' ? {} : { prefix }),
        ...(maxRemovals === null ? {} : { maxRemovals }),
      }
    }
    case 'command': {
      const { type, command, args, env, cwd } = handler
      return { type, command, args, env: shownValues(env), ...(cwd === null ? {} : { cwd }) }
    }
    case 'check_in': {
      const { type, withinMs, earlyMs } = handler
      return { type, within: durationText(withinMs), early: durationText(earlyMs) }
    }
    case 'webhook': {
      const { address: _address, secrets: _secrets, headers, ...shown } = handler
      return { ...shown, headers: shownValues(headers) }
    }
  }
}

/** Any stored value, with whatever is sealed in it left out. */
export function withoutSealed(value: unknown): unknown {
  if (isSealed(value)) return redacted
  if (Array.isArray(value)) return value.map(withoutSealed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutSealed(part)]))
}

export function shownValues(values: Secretive): Record<string, string | SecretReference> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSealed(value) ? redacted : value]),
  )
}
