/** Who is signed in, and what they may do. */
import { computed, ref } from 'vue'
import type { AccessRole } from '../../src/core/access/access-role.ts'
import { setServerTime } from './clock.ts'
import { server } from './server.ts'

export interface Session {
  readonly actor: string
  readonly role: AccessRole
}

/** undefined: not known yet; null: nobody. */
export const session = ref<Session | null | undefined>(undefined)
export const sessionProblem = ref<unknown>(null)
/** There was a session, and it is over: whoever signs in again goes on where they were. */
export const hasEnded = ref(false)

/** What the role does not allow is not shown; the server refuses it in any case. */
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

export async function signOut(): Promise<void> {
  await server.session.signOut()
  session.value = null
}

export function endSession(): void {
  if (session.value) hasEnded.value = true
  session.value = null
}

export function isUnauthenticated(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'unauthenticated'
}
