/** Which Node is new enough; `package.json` says the same to npm, which only warns. */
export function tooOldNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return null
  return `evertick needs Node 22.18 or later; this is Node ${version}.`
}
