/** Server-sent events as text. Data is JSON, so that it never has a line break of its own. */

export function eventFrame(id: string, data: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The client knows too little to go on: it fetches anew whatever it shows. */
export function resetFrame(id: string): string {
  return `id: ${id}\nevent: reset\ndata: {}\n\n`
}

/** Sets from where a client goes on and how soon it comes back, and is no event to it. */
export function greetingFrame(id: string): string {
  return `retry: 2000\nid: ${id}\n\n`
}

/** Keeps proxies from closing a quiet connection, and finds those whose other end is gone. */
export const heartbeatFrame = ': heartbeat\n\n'
