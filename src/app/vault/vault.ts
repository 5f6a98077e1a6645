/** `evertick.secrets`: values by name, for handlers that nobody should read them in. They are written, and never read back. */
import { EvertickError } from '../../core/error.ts'
import { vaultName, vaultNameRule } from '../../core/job/vault-name.ts'
import { shownJobName } from '../../core/notice/webhook.ts'
import type { SecretRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { refuseUnknown } from '../config/call-options.ts'
import { secretMissing, vaultSlot } from './open-secrets.ts'
import { type RotatedSecrets, rotateSecrets } from './rotate-secrets.ts'

export interface SecretView {
  readonly name: string
  readonly createdAt: Date
  readonly createdBy: string
  /** When its value was set last. */
  readonly changedAt: Date
  readonly changedBy: string
  /** Jobs and webhooks whose definition names it. What `ctx.secrets.get` asks for, nobody knows before. */
  readonly usedBy: readonly string[]
}

export interface RotateOptions extends ActorOptions {
  readonly onProgress?: (done: number, total: number) => void
}

export const longestSecret = 65_536
const shownUses = 3

export class Vault {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** By name, without their values. */
  async list(): Promise<SecretView[]> {
    const { vault } = this.#app.store
    const [secrets, uses] = await Promise.all([vault.listSecrets(), vault.listSecretUses()])
    return secrets.map((secret) => {
      const users = uses.filter(({ secrets: named }) => named.includes(secret.name))
      return viewOf(
        secret,
        users.map(({ job }) => shownJobName(job)),
      )
    })
  }

  /** A new secret, or a new value: the next run of each job has it, on every node. */
  async set(name: string, value: string, by: ActorOptions = {}): Promise<void> {
    refuseUnknown(by, ['actor', 'origin'], 'secrets.set')
    if (typeof name !== 'string' || !vaultName.test(name))
      throw new EvertickError('invalid_option', `${JSON.stringify(name)} is not a valid name of a secret.`, {
        field: 'name',
        next: vaultNameRule,
      })
    refuseValue(value)
    const { store, secrets } = this.#app
    const { sealed } = secrets.seal(value, vaultSlot(name))
    await store.vault.putSecret({ name, sealed }, changeContext(this.#app, by))
  }

  /** Refused while a job or a webhook names it, unless `force`: their next run then fails. */
  async delete(
    name: string,
    { force = false, ...by }: ActorOptions & { readonly force?: boolean } = {},
  ): Promise<void> {
    refuseUnknown(by, ['actor', 'origin'], 'secrets.delete')
    const { deleted, usedBy } = await this.#app.store.vault.deleteSecret(name, changeContext(this.#app, by), {
      used: force ? 'delete' : 'refuse',
    })
    if (deleted) return
    if (usedBy.length === 0 || force)
      throw secretMissing(name, 'List the secrets with `evertick secrets list`.')
    throw inUse(name, usedBy)
  }

  /** After a change of the key: seals everything under the newest one, while all goes on. */
  async rotate({ onProgress = () => {}, ...by }: RotateOptions = {}): Promise<RotatedSecrets> {
    refuseUnknown(by, ['actor', 'origin'], 'secrets.rotate')
    const rotated = await rotateSecrets(this.#app, onProgress)
    const { now, actor, origin } = changeContext(this.#app, by)
    const entry = { at: now, actor, ...(origin === undefined ? {} : { origin }), action: 'secret.rotate' }
    const { resealed, unchanged, unreadable } = rotated
    const after = { resealed, unchanged, unreadable: unreadable.length }
    await this.#app.store.audit.appendAuditLog([{ ...entry, subject: 'secrets', before: null, after }])
    return rotated
  }
}

/** Its messages say nothing of it. */
function refuseValue(value: unknown): void {
  const refuse = (message: string, next: string) => {
    throw new EvertickError('invalid_option', message, { field: 'value', next })
  }
  if (typeof value !== 'string') return refuse('The value of a secret must be text.', 'Give it as text.')
  if (value === '') refuse('The value of a secret must not be empty.', 'Delete the secret to be rid of it.')
  if (value.length > longestSecret)
    refuse(
      `The value of a secret may have at most ${longestSecret.toLocaleString('en')} characters.`,
      'Keep the data elsewhere, and a key to it here.',
    )
  if (value.includes('\0') || !value.isWellFormed())
    refuse('The value of a secret contains a NUL or half a character.', 'Encode it, such as in base64.')
}

function inUse(name: string, usedBy: readonly string[]): EvertickError {
  const rest = usedBy.length - shownUses
  const shown = usedBy.slice(0, shownUses).map(shownJobName).join(', ')
  const users = rest > 0 ? `${shown} and ${rest} more` : shown
  return new EvertickError('secret_in_use', `The secret "${name}" is used by ${users}.`, {
    next: `Let them name another one first, or delete it anyway: \`evertick secrets delete ${name} --force\`.`,
  })
}

function viewOf(secret: SecretRow, usedBy: readonly string[]): SecretView {
  const { name, createdAt, createdBy, changedAt, changedBy } = secret
  return {
    name,
    createdAt: new Date(createdAt),
    createdBy,
    changedAt: new Date(changedAt),
    changedBy,
    usedBy,
  }
}
