/** Handlers as they are shown: as their user wrote them, with what is sealed left out. */
import { type HandlerSpec, isSealed, type Secretive } from '../../core/job/handler.ts'
import { redacted } from '../../core/job/secret-name.ts'
import type { HandlerOptions } from './handler-options.ts'

export function handlerView(handler: HandlerSpec): HandlerOptions {
  switch (handler.type) {
    case 'function':
      return handler
    case 'http': {
      const { type, url, method, headers, body, expect } = handler
      return {
        type,
        url,
        ...(method === null ? {} : { method }),
        headers: shown(headers),
        ...(body === null ? {} : { body }),
        expect,
      }
    }
    case 'command': {
      const { type, command, args, env, cwd } = handler
      return { type, command, args, env: shown(env), ...(cwd === null ? {} : { cwd }) }
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

function shown(values: Secretive): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSealed(value) ? redacted : value]),
  )
}
