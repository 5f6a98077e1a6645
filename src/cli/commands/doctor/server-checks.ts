/** Does the server answer, does its database, and does it accept the token? */
import { clientOf } from '../../remote/open-remote.ts'
import { remoteSystem } from '../../remote/remote-system.ts'
import type { RemoteSettings } from '../../settings.ts'
import type { ExaminedSystem } from '../../system.ts'
import { type Check, fail, failureOf, ok } from './check.ts'

/** The checks, and the server for those that follow; null if it cannot be used. */
export async function checkServer(
  remote: RemoteSettings,
): Promise<{ checks: Check[]; system: ExaminedSystem | null }> {
  const checks: Check[] = []
  try {
    const client = clientOf(remote)
    const { status, version, nodeId } = await client.health()
    if (status !== 'ok') {
      checks.push(
        fail(
          'server',
          `${nodeId} answers, but its database does not.`,
          'Check the database and the log of the node.',
        ),
      )
      return { checks, system: null }
    }
    checks.push(ok('server', `${nodeId} answers, version ${version}.`))
    const { actor, role, expiresAt } = await client.session.get()
    checks.push(ok('access', `You are ${actor}, ${role}, until ${expiresAt}.`))
    return { checks, system: remoteSystem(client) }
  } catch (error) {
    checks.push(failureOf(checks.length === 0 ? 'server' : 'access', error))
    return { checks, system: null }
  }
}
