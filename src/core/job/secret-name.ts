/** Whether the value of a header or a variable is a secret, by its name or by how it looks. */
const secretWords =
  /authorization|bearer|cookie|token|secret|passw|passphrase|pass(?![a-z])|credential|signature|conn(?:ection)?[_-]?str|(?:^|[^a-z])(?:auth|pat|pwd|jwt|session|private|dsn)(?:$|[^a-z])|key/i

export const redacted = '[redacted]'

export function isSecretName(name: string): boolean {
  return /^proxy-/i.test(name) || secretWords.test(name)
}

/** A URL with a password in it, or a connection string with one, whatever it is called. */
export function isSecretValue(value: string): boolean {
  return passwordsIn(value).length > 0
}

/** A URL's password, or that of a connection string: `Server=db;Password=…`. */
const passwords = [
  /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s/?#@:"'<>]*:([^\s/?#"'<>]+)@/gi,
  /(?:passw(?:or)?d|pwd|accountkey|accesskey)\s{0,4}=\s{0,4}["']?([^\s"';,&]+)/gi,
]

export function passwordsIn(text: string): string[] {
  return passwords.flatMap((shape) => [...text.matchAll(shape)].map(([, password = '']) => password))
}
