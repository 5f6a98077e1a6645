/** Whether what stands under this name is a secret: of a header, or of a variable. */
const secretWords =
  /authorization|cookie|token|secret|passw|passphrase|credential|signature|(?:^|[^a-z])(?:auth|pat|pwd|jwt|session|private|dsn)(?:$|[^a-z])|key/i

export const redacted = '[redacted]'

export function isSecretName(name: string): boolean {
  return /^proxy-/i.test(name) || secretWords.test(name)
}
