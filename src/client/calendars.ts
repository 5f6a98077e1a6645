/** `client.calendars`. */
import type { Call, CallOptions } from './call.ts'
import type { Body } from './contract.ts'

export function calendarCalls(call: Call) {
  return {
    list: async (options: CallOptions = {}) => (await call('GET /calendars', options)).calendars,
    get: (name: string, options: CallOptions = {}) =>
      call('GET /calendars/{name}', { params: { name }, ...options }),
    /** A new one, or the next version of one. */
    put: (name: string, rules: Omit<Body<'POST /calendars'>, 'name'>, options: CallOptions = {}) =>
      call('POST /calendars', { body: { name, ...rules }, ...options }),
    /** The events of an iCal file become its closed times. */
    import: (
      name: string,
      ical: string,
      { timezone, ...options }: CallOptions & { readonly timezone?: string } = {},
    ) => {
      const body = { ical, ...(timezone === undefined ? {} : { timezone }) }
      return call('POST /calendars/{name}/import', { params: { name }, body, ...options })
    },
    delete: (name: string, options: CallOptions = {}) =>
      call('DELETE /calendars/{name}', { params: { name }, ...options }),
  }
}
