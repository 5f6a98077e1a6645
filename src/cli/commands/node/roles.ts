/** `--role scheduler --role worker`, or `--role scheduler,worker`. */
import { EvertickError } from '../../../core/error.ts'
import { didYouMean } from '../../../core/schedule/did-you-mean.ts'
import { type Role, roles } from '../../../engine/node.ts'

export function rolesOf(given: readonly string[] | undefined): Role[] | null {
  if (given === undefined) return null
  return [...new Set(given.flatMap((text) => text.split(',').map((role) => roleOf(role.trim()))))]
}

function roleOf(text: string): Role {
  const role = roles.find((known) => known === text)
  if (role !== undefined) return role
  const near = didYouMean(text, roles)
  throw new EvertickError('invalid_option', `${JSON.stringify(text)} is no role.`, {
    field: '--role',
    next: near === undefined ? `Use one of ${roles.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
