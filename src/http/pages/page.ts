/**
 * The few pages that the server has by itself: nothing inline, nothing from elsewhere. All stand beside each other and
 * name each other by relative addresses, so that they work below any path.
 */
import { TextResponse } from '../text-response.ts'

export interface Page {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** Only what is served here; a page may say where its relative addresses begin, but only on this server. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function pageResponse({ type, text }: Page): Response {
  return new TextResponse(text, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': pagePolicy },
  })
}
