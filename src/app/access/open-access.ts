/** The access of a node: by its own secrets, by a provider, or by both. */
import { EvertickError } from '../../core/error.ts'
import type { AppContext } from '../app-context.ts'
import { type ApiConfig, refuseOpenDoor } from '../config/api-config.ts'
import { Access } from './access.ts'
import { ForeignTokens } from './foreign-tokens.ts'
import { ownSecret } from './own-secret.ts'
import { OwnTokens } from './own-tokens.ts'
import { People } from './people/people.ts'
import { SigningKeys } from './signing-keys.ts'

export function openAccess(app: AppContext, config: ApiConfig): Access {
  const { provider, oidc } = config
  const secrets = config.secrets.length > 0 || provider !== null ? config.secrets : ownSecret(app.database)
  refuseOpenDoor({ ...config, secrets })
  const keys = secrets.length === 0 ? null : new SigningKeys(secrets)
  return new Access(app, {
    own: keys === null ? null : new OwnTokens(app, keys),
    foreign: provider === null ? null : new ForeignTokens(app, provider),
    people: oidc === null ? null : new People(app, oidc, keys ?? noKeys()),
  })
}

function noKeys(): never {
  throw new EvertickError(
    'invalid_config',
    'People sign in to a session, and there is no secret to sign it with.',
    {
      field: 'EVERTICK_JWT_SECRET',
      next: 'Set EVERTICK_JWT_SECRET beside EVERTICK_OIDC_ISSUER (`openssl rand -base64 48`).',
    },
  )
}
