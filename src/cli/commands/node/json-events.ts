/** `start --json`: every event of the node, one JSON object per line. */

import type { EventName } from '../../../engine/events.ts'
import type { Evertick } from '../../../evertick.ts'
import type { Terminal } from '../../output/terminal.ts'

const eventNames = [
  'execution:started',
  'execution:completed',
  'execution:failed',
  'execution:retrying',
  'execution:cancelled',
  'execution:progress',
  'execution:step',
  'execution:refused',
  'job:created',
  'job:updated',
  'job:paused',
  'job:resumed',
  'job:deleted',
  'tick:accounted',
  'lease:expired',
  'leader:elected',
  'leader:lost',
  'schedule:added',
  'schedule:modified',
  'schedule:deleted',
] as const satisfies readonly EventName[]

export function writeEvents(evertick: Evertick, terminal: Terminal): void {
  for (const name of eventNames) {
    evertick.on(name, (detail) => {
      terminal.out.write(JSON.stringify({ at: new Date(), event: name, ...detail }))
    })
  }
}
