/** People who sign in at a provider: from a click on the button to a person with a name and a role. */
import type { AccessRole } from '../../../core/access/access-role.ts'
import { isSubject, namedSubject, plainName } from '../../../core/access/person.ts'
import { EvertickError } from '../../../core/error.ts'
import type { Logger } from '../../../engine/logger.ts'
import type { AppContext } from '../../app-context.ts'
import type { OidcConfig } from '../../config/oidc-config.ts'
import type { SigningKeys } from '../signing-keys.ts'
import { Provider } from './provider.ts'
import { type Claims, roleOf } from './role-rules.ts'
import { SignInStates } from './sign-in-state.ts'

export interface Person {
  /** `Ana <248289761001>`. */
  readonly name: string
  readonly role: AccessRole | null
  /** For the page that refuses them. */
  readonly email: string | null
}

export class People {
  readonly #logger: Logger
  readonly #options: OidcConfig
  readonly #provider: Provider
  readonly #states: SignInStates

  constructor(app: AppContext, options: OidcConfig, keys: SigningKeys) {
    this.#logger = app.logger
    this.#options = options
    this.#provider = new Provider(options, app)
    this.#states = new SignInStates(keys, app.clock)
  }

  /** What the button calls the provider, and why it does not work now. */
  async way(): Promise<{ readonly name: string; readonly trouble: EvertickError | null }> {
    return { name: this.#options.name, trouble: await this.#provider.trouble() }
  }

  /** Where to send the browser, with what cookie; `to` is where it goes in the end. */
  async begin(redirectUri: string, to: string): Promise<{ readonly url: URL; readonly sealed: string }> {
    const { url, flow } = await this.#logged(this.#provider.begin(redirectUri))
    return { url, sealed: await this.#states.seal({ ...flow, to }) }
  }

  async finish(
    search: string,
    sealed: string | null,
  ): Promise<{ readonly person: Person; readonly idToken: string; readonly to: string }> {
    const flow = sealed === null ? null : await this.#states.open(sealed)
    if (flow === null) {
      throw new EvertickError(
        'unauthenticated',
        'This sign-in was not begun in this browser, or too long ago.',
        {
          next: 'Try again.',
        },
      )
    }
    const { claims, idToken } = await this.#logged(this.#provider.finish(search, flow))
    return { person: this.#personOf(claims), idToken, to: flow.to }
  }

  /** Where to sign out at the provider, too; null where it has no such place. */
  async leave(idToken: string, home: string): Promise<URL | null> {
    return await this.#provider.leave(idToken, home)
  }

  /** With a role, or refused. */
  admit({ name, email, role }: Person): AccessRole {
    if (role !== null) return role
    const who = email === null || name.startsWith(`${email} `) ? name : `${name}, ${email}`
    throw new EvertickError(
      'forbidden',
      `${this.#options.name} says that you are ${who}. You have no role here.`,
      {
        next: 'Ask whoever runs this Evertick to give one to you or to a group of yours (EVERTICK_OIDC_ROLES).',
      },
    )
  }

  /** Whoever runs this node should know before people tell them. Refused sign-ins are in the audit log. */
  async #logged<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      const isProviders = error instanceof EvertickError && error.code === 'provider_unavailable'
      if (isProviders) this.#logger.warn(`A sign-in failed. ${error.message}`)
      throw error
    }
  }

  #personOf(claims: Claims): Person {
    const { sub, email } = claims
    if (!isSubject(sub)) {
      throw new EvertickError(
        'unauthenticated',
        `${this.#options.name} gives you a subject that cannot be shown.`,
        {
          next: 'Tell whoever runs this Evertick.',
        },
      )
    }
    const { issuer, roles, claim } = this.#options
    return {
      name: namedSubject(claims, sub),
      role: roleOf(claims, { issuer: issuer.href, roles, claim }),
      email: typeof email === 'string' ? plainName(email) || null : null,
    }
  }
}
