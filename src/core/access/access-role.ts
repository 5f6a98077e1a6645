/** What a caller of the API may do. Each role includes the ones before it. */
export const accessRoles = ['viewer', 'operator', 'admin'] as const
export type AccessRole = (typeof accessRoles)[number]

export const roleSentences: Readonly<Record<AccessRole, string>> = {
  viewer: 'Sees everything, changes nothing.',
  operator: 'Sees everything, and can run, pause, resume, retry and cancel.',
  admin: 'Can do everything an operator can, and also create, edit and delete jobs and manage tokens.',
}

/** What gives access: a token, a session that a person signed in to, or a link that becomes one. */
export const accessKinds = ['token', 'session', 'link'] as const
export type AccessKind = (typeof accessKinds)[number]

export function mayAct(as: AccessRole, needed: AccessRole): boolean {
  return accessRoles.indexOf(as) >= accessRoles.indexOf(needed)
}

export function isAccessRole(value: unknown): value is AccessRole {
  return accessRoles.some((role) => role === value)
}
