/** What each part of the enhanced scheduler stands on: a node of the app's own, or a database that it names. */
import { refuseUnknown } from '../../app/config/call-options.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { Evertick } from '../../evertick.ts'
import { OwnNode } from '../own-node.ts'

/** A database to stand on, where no `Evertick` is given. */
export interface ConnectOptions
  extends Pick<EvertickOptions, 'database' | 'pool' | 'timezone' | 'migrate' | 'clock' | 'logger'> {}

export const connectNames = ['database', 'pool', 'timezone', 'migrate', 'clock', 'logger']

export function isConnect(given: Evertick | OwnNode | ConnectOptions): given is ConnectOptions {
  return !(given instanceof OwnNode) && !(given instanceof Evertick)
}

/** Opened at the first use. It is never started: it only reads and writes. */
export function nodeOf(given: Evertick | OwnNode | ConnectOptions, what: string): OwnNode {
  if (given instanceof OwnNode) return given
  if (given instanceof Evertick) return new OwnNode(given)
  refuseUnknown(given, connectNames, what)
  return new OwnNode(() => given)
}
