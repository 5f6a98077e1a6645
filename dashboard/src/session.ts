/** Who is signed in, and what they are allowed to do. */
import { computed, ref } from 'vue'
import type { AccessRole } from '../../src/core/access/access-role.ts'
import { hasSubject } from '../../src/core/access/person.ts'
import { setServerTime } from './clock.ts'
import { server } from './server.ts'

export interface Session {
  readonly actor: string
  readonly role: AccessRole
}

/** undefined: not known yet; null: nobody is signed in. */
export const session = ref<Session | null | undefined>(undefined)
export const sessionProblem = ref<unknown>(null)
/** A session has ended on this page. Signing in again continues where it was. */
export const hasEnded = ref(false)

/** Actions that the role does not allow are hidden; the server refuses them anyway. */
export const mayOperate = computed(
  () => session.value?.role === 'operator' || session.value?.role === 'admin',
)
export const mayAdminister = computed(() => session.value?.role === 'admin')

export async function loadSession(): Promise<void> {
  sessionProblem.value = null
  try {
    const { actor, role, now } = await server.session.get()
    setServerTime(now)
    session.value = { actor, role }
    hasEnded.value = false
  } catch (error) {
    if (isUnauthenticated(error)) session.value = null
    else sessionProblem.value = error
  }
}

export async function signIn(code: string): Promise<void> {
  await server.session.signIn(code)
  await loadSession()
}

/** Whom a provider has signed in is signed out there as well, where it offers that. */
export async function signOut(): Promise<void> {
  const isTheirs = hasSubject(session.value?.actor ?? '')
  await server.session.signOut()
  if (isTheirs) location.assign(new URL('sign-in/leave', document.baseURI))
  else session.value = null
}

export function endSession(): void {
  if (session.value) hasEnded.value = true
  session.value = null
}

export function isUnauthenticated(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'unauthenticated'
}
