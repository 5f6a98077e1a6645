/** `/events`: what changes, while it changes. */
import { EvertickError } from '../../core/error.ts'
import { principalOf, refuseRole } from '../auth/authenticate.ts'
import { type Call, endpoint, Reply } from '../endpoint.ts'
import { liveEvent } from '../schemas/event.ts'

const role = 'viewer'

/** False once the token has ended or was taken back. */
async function mayListen({ request, access }: Call<unknown, unknown, unknown>): Promise<boolean> {
  try {
    refuseRole(await principalOf(request, access), role)
    return true
  } catch (error) {
    if (error instanceof EvertickError && error.kind === 'auth') return false
    throw error
  }
}

export const eventRoutes = [
  endpoint({
    method: 'get',
    path: '/events',
    role,
    tag: 'Events',
    summary: 'Hints at what changes, on any node, as server-sent events; goes on after Last-Event-ID',
    answers: liveEvent,
    contentType: 'text/event-stream',
    run: async (call) => {
      const stream = call.live.connect({
        caller: call.caller,
        lastEventId: call.request.headers.get('last-event-id'),
        mayListen: () => mayListen(call),
      })
      // nginx gathers an answer before it passes it on, unless it is told not to.
      return new Reply(stream, { headers: { 'x-accel-buffering': 'no' } })
    },
  }),
]
