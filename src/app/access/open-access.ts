/** The access of a node: by its own secrets, by a provider, or by both. */
import type { AppContext } from '../app-context.ts'
import { type ApiConfig, refuseOpenDoor } from '../config/api-config.ts'
import { Access } from './access.ts'
import { ForeignTokens } from './foreign-tokens.ts'
import { ownSecret } from './own-secret.ts'
import { OwnTokens } from './own-tokens.ts'
import { SigningKeys } from './signing-keys.ts'

export function openAccess(app: AppContext, config: ApiConfig): Access {
  const { provider } = config
  const secrets = config.secrets.length > 0 || provider !== null ? config.secrets : ownSecret(app.database)
  refuseOpenDoor({ ...config, secrets })
  return new Access(app, {
    own: secrets.length === 0 ? null : new OwnTokens(app, new SigningKeys(secrets)),
    foreign: provider === null ? null : new ForeignTokens(app, provider),
  })
}
