/** Removes whatever looks like a secret from a text: a safety net for secrets that nobody declared. */
import { redacted } from './secret-name.ts'

/** Each has what is kept before and after it as its groups. */
const shapes: readonly RegExp[] = [
  // A URL's user and password.
  /(\b[a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@:"'<>]*:[^\s/?#"'<>]*(@)/gi,
  /(\b(?:bearer|basic)\s+)[\w.~+/-]{8,}=*()/gi,
  // A JWT, wherever it stands, and the beginning of one that was cut.
  /()\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}()/g,
  /([?&][^=&#?\s]{0,64}(?:token|secret|pass|key|signature|credential|code)[^=&#?\s]{0,64}=)[^&#\s"']+()/gi,
  // Of a connection string: password=…, Pwd=…;
  /((?:passw(?:or)?d|passphrase|pass|pwd|secret|token|(?:api|account|access)_?key)\s{0,4}=\s{0,4}["']?)[^\s"';,&]+()/gi,
  // A sign-in link's code.
  /(\/sign-in#)[\w%-]+()/g,
]

export function withoutSecretShapes(text: string): string {
  return shapes.reduce((left, shape) => left.replace(shape, `$1${redacted}$2`), text)
}
