/**
 * The server's own pages: nothing inline, nothing from other servers. They link to each other by relative URLs, so that
 * they work below any path.
 */
import { TextResponse } from '../text-response.ts'

export interface Page {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** Only resources of this server; a page may set a base for its relative URLs, but only on this server. */
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

export function pageResponse({ type, text }: Page, status = 200): Response {
  return new TextResponse(text, {
    status,
    headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': pagePolicy },
  })
}
