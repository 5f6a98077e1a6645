/** The authenticated caller. */
import type { AccessRole } from '../../core/access/access-role.ts'

export interface Principal {
  /** For the audit log: `token:deploy`, `session:anna`, or `user:` and what the user's own provider calls its subject. */
  readonly actor: string
  readonly role: AccessRole
  readonly kind: 'token' | 'session'
  /** The id of the token or session; null where a provider of the user's has made it. */
  readonly id: string | null
  readonly expiresAt: number
}
