/**
 * The provider that people sign in at, by OpenID Connect: the authorization code flow with PKCE. It is looked for when it
 * is first needed, and again after a failure, so that no node waits for it to start.
 */
import type * as openid from 'openid-client'
import { EvertickError } from '../../../core/error.ts'
import type { Clock } from '../../../engine/clock.ts'
import { callOutside } from '../../../outbound/outbound-call.ts'
import { loadDriver } from '../../../store/load-driver.ts'
import type { OidcConfig } from '../../config/oidc-config.ts'
import { refused, unavailable } from './provider-errors.ts'
import type { Claims } from './role-rules.ts'
import type { SignInState } from './sign-in-state.ts'

export type Flow = Omit<SignInState, 'to'>

export interface SignedIn {
  readonly claims: Claims
  readonly idToken: string
}

interface Found {
  readonly client: typeof openid
  readonly config: openid.Configuration
}

/** Its endpoints rarely move; its keys are fetched again when a token names one that is not known. */
const foundMs = 3_600_000
/** A provider that is down is not asked more often. */
const failedMs = 5_000
const answerMs = 10_000
const longestAnswer = 1_048_576

export class Provider {
  readonly #options: OidcConfig
  readonly #clock: Clock
  readonly #privateHosts: readonly string[]
  #last: { readonly found: Promise<Found>; until: number } | null = null

  constructor(
    options: OidcConfig,
    { clock, allowPrivateHosts }: { clock: Clock; allowPrivateHosts: readonly string[] },
  ) {
    this.#options = options
    this.#clock = clock
    // Whoever runs this node has named the issuer; of what the issuer names, private hosts are refused.
    this.#privateHosts = [...allowPrivateHosts, options.issuer.host]
  }

  /** Why nobody can sign in there now; null where they can. */
  async trouble(): Promise<EvertickError | null> {
    try {
      await this.#find()
      return null
    } catch (error) {
      if (error instanceof EvertickError) return error
      throw error
    }
  }

  /** Where to send the browser, and what must be known when it comes back. */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly flow: Flow }> {
    const { client, config } = await this.#find()
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectUri,
    }
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.#options.scope,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    })
    return { url, flow }
  }

  /** `search`: with what the provider has sent the browser back. */
  async finish(search: string, { state, nonce, verifier, redirectUri }: Flow): Promise<SignedIn> {
    const { client, config } = await this.#find()
    const came = new URL(redirectUri)
    came.search = search
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
      const tokens = await client.authorizationCodeGrant(config, came, { ...checks, idTokenExpected: true })
      const claims = tokens.claims()
      if (claims === undefined || tokens.id_token === undefined) throw new Error('There is no ID token.')
      // Many providers put groups and names only here.
      const more: Claims =
        config.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(config, tokens.access_token, claims.sub)
      // An address belongs to the word on whether it was verified: both are taken from one source.
      const { email, email_verified }: Claims = 'email' in claims ? claims : more
      return { claims: { ...more, ...claims, email, email_verified }, idToken: tokens.id_token }
    } catch (error) {
      throw refused(this.#options.issuer.host, error)
    }
  }

  /** Where to sign out at the provider as well; null where it offers no such place, or does not answer. */
  async leave(idToken: string, home: string): Promise<URL | null> {
    const found = await this.#find().catch(() => null)
    if (found?.config.serverMetadata().end_session_endpoint === undefined) return null
    const asked = { id_token_hint: idToken, post_logout_redirect_uri: home }
    return found.client.buildEndSessionUrl(found.config, asked)
  }

  async #find(): Promise<Found> {
    const now = this.#clock.monotonic()
    if (this.#last !== null && this.#last.until > now) return await this.#last.found
    const last = { found: this.#discover(), until: now + foundMs }
    this.#last = last
    try {
      return await last.found
    } catch (error) {
      last.until = this.#clock.monotonic() + failedMs
      throw error
    }
  }

  async #discover(): Promise<Found> {
    const { issuer, clientId, clientSecret } = this.#options
    try {
      const client = await loadDriver('openid-client', () => import('openid-client'))
      const config = await client.discovery(
        issuer,
        clientId,
        undefined,
        clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret),
        {
          [client.customFetch]: this.#fetch,
          // The signature counts, too, and not only that the token came by a connection to the issuer.
          execute: [
            client.enableNonRepudiationChecks,
            ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
          ],
          timeout: answerMs / 1_000,
        },
      )
      return { client, config }
    } catch (error) {
      throw unavailable(issuer.host, error)
    }
  }

  readonly #fetch: openid.CustomFetch = async (url, { method, headers, body, signal }) => {
    const answer = await callOutside({
      url,
      method,
      headers,
      // Whatever the library posts is a form.
      ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
      allowPrivateHosts: this.#privateHosts,
      timeoutMs: answerMs,
      maxBytes: longestAnswer,
      ...(signal === undefined ? {} : { signal }),
    })
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      headers: { 'content-type': answer.headers['content-type'] ?? '' },
    })
  }
}
