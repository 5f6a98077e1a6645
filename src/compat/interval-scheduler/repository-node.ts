/** The node behind a repository: the scheduler's, one that was given, or one of its own that runs nothing. */
import { refuseUnknown } from '../../app/config/call-options.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { Evertick } from '../../evertick.ts'
import { OwnNode } from '../own-node.ts'

/** Where a repository finds its rows. */
export interface RepositoryOptions {
  /** As for `Evertick.open`. @default EVERTICK_DATABASE_URL, else DATABASE_URL */
  readonly database?: string
  /** Whether to bring the schema up to date at first use. @default true on SQLite */
  readonly migrate?: boolean
  readonly clock?: EvertickOptions['clock']
  readonly logger?: EvertickOptions['logger']
}

export function nodeFor(given: Evertick | OwnNode | RepositoryOptions, what: string): OwnNode {
  if (given instanceof OwnNode) return given
  if (given instanceof Evertick) return new OwnNode(given)
  refuseUnknown(given, ['database', 'migrate', 'clock', 'logger'], what)
  return new OwnNode(() => given as EvertickOptions)
}
