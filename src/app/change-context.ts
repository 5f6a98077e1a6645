/** Who changes something, when and from where, for the audit log. */
import type { ChangeContext } from '../store/store.ts'
import type { AppContext } from './app-context.ts'

/** Who asks; kept in the audit log. */
export interface ActorOptions {
  /** @default 'api' */
  readonly actor?: string
  /** From where: an address, or a host. @default the host of this process */
  readonly origin?: string
}

export function changeContext(
  { clock, host }: AppContext,
  { actor = 'api', origin = host }: ActorOptions,
): ChangeContext {
  return { now: clock.now(), actor, origin }
}
