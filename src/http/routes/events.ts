/** `/events`: changes as they happen. */
import { endpoint, Reply } from '../endpoint.ts'
import { liveEvent } from '../schemas/event.ts'

export const eventRoutes = [
  endpoint({
    method: 'get',
    path: '/events',
    role: 'viewer',
    tag: 'Events',
    summary: 'Changes on any node, as server-sent events; resumes after Last-Event-ID',
    answers: liveEvent,
    contentType: 'text/event-stream',
    run: async ({ live, caller, principal, request }) => {
      const lastEventId = request.headers.get('last-event-id')
      const stream = live.connect({ caller, principal, lastEventId })
      // nginx buffers an answer unless it is told not to.
      return new Reply(stream, { headers: { 'x-accel-buffering': 'no' } })
    },
  }),
]
