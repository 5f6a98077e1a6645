/** Server-sent events as text. Data is JSON, so that it never has a line break of its own. */

export function eventFrame(id: string, data: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The client has missed events: it fetches again whatever it shows. */
export function resetFrame(id: string): string {
  return `id: ${id}\nevent: reset\ndata: {}\n\n`
}

/** Sets the id that a client resumes after and how soon it reconnects. The client sees no event. */
export function greetingFrame(id: string): string {
  return `retry: 2000\nid: ${id}\n\n`
}

/** Keeps proxies from closing a quiet connection, and detects dead ones. */
export const heartbeatFrame = ': heartbeat\n\n'
