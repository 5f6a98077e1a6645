/** The few pages that the server has by itself: nothing inline, nothing from elsewhere. */
export interface Page {
  readonly path: string
  readonly type: string
  readonly text: string
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function pageResponse({ type, text }: Page): Response {
  return new Response(text, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy },
  })
}
