/**
 * Signing in at a provider: out by `/sign-in/begin`, back by `/sign-in/callback`, and out again by `/sign-in/leave`. A
 * browser goes through these doors by itself, so that they answer with redirects and pages.
 */
import type { Access } from '../../app/access/access.ts'
import type { People } from '../../app/access/people/people.ts'
import { signInSeconds } from '../../app/access/people/sign-in-state.ts'
import { EvertickError } from '../../core/error.ts'
import type { Seen } from '../access-log.ts'
import {
  clearedCookie,
  cookie,
  cookieOf,
  type Place,
  sessionCookie,
  signInCookie,
  signOutCookie,
} from '../auth/cookie.ts'
import { originOf } from '../guard/proxies.ts'
import { ownPath } from './own-path.ts'

export interface Entrance extends Place {
  readonly access: Access
  readonly seen: Seen
}

export interface Door {
  readonly path: string
  readonly open: (entrance: Entrance) => Promise<Response>
}

const callback = '/sign-in/callback'
/** What browsers keep of one cookie, with its name and attributes. */
const longestCookie = 3_800

export const doors: readonly Door[] = [
  { path: '/sign-in/begin', open: begin },
  { path: callback, open: comeBack },
  { path: '/sign-in/leave', open: leave },
]

async function begin(entrance: Entrance): Promise<Response> {
  const { access, visit, basePath, request } = entrance
  const to = ownPath(new URL(request.url).searchParams.get('to'))
  const { url, sealed } = await peopleOf(access).begin(`${originOf(visit)}${basePath}${callback}`, to)
  return redirect(url.href, cookie(signInCookie, sealed, entrance, { seconds: signInSeconds }))
}

async function comeBack(entrance: Entrance): Promise<Response> {
  const { access, request, visit, seen } = entrance
  const people = peopleOf(access)
  const { search } = new URL(request.url)
  const { person, idToken, to } = await people.finish(search, cookieOf(request, signInCookie))
  seen.actor = `session:${person.name}`
  const role = people.admit(person)
  const session = await access.openSession({ name: person.name, role }, { origin: visit.address })
  if (session === null) throw new EvertickError('unauthenticated', 'The session could not be opened.')
  return redirect(
    to,
    clearedCookie(signInCookie, entrance),
    cookie(sessionCookie, session.token, entrance, { at: session.expiresAt }),
    ...(idToken.length > longestCookie
      ? []
      : [cookie(signOutCookie, idToken, entrance, { at: session.expiresAt })]),
  )
}

/** The session has ended by then: `DELETE /session` is where that happens. */
async function leave(entrance: Entrance): Promise<Response> {
  const { access, visit, basePath, request } = entrance
  const idToken = cookieOf(request, signOutCookie)
  const home = `${originOf(visit)}${basePath}/`
  const url = idToken === null ? null : ((await access.people?.leave(idToken, home)) ?? null)
  return redirect(url?.href ?? '/', clearedCookie(signOutCookie, entrance))
}

function peopleOf({ people }: Access): People {
  if (people !== null) return people
  throw new EvertickError('route_not_found', 'This Evertick has no provider to sign in at.', {
    next: 'Sign in with a link: `evertick login` makes one.',
  })
}

function redirect(location: string, ...cookies: string[]): Response {
  const headers = new Headers({ location })
  for (const each of cookies) headers.append('set-cookie', each)
  return new Response(null, { status: 302, headers })
}
