/** The code stands behind the `#`: no browser sends that part, so that it is in no log. */
export function signInLink(url: string, code: string): string {
  return `${url.replace(/\/+$/, '')}/sign-in#${code}`
}
