/** Bytes on a real socket, as no client would send them. */
import { connect } from 'node:net'

export const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`

/** Sends these bytes, says that there are no more, and returns all that comes back. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url)
  return await new Promise((resolve) => {
    let heard = ''
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      heard += piece
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
  })
}

/** The status of each answer, in order. */
export function statusesIn(heard: string): number[] {
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
