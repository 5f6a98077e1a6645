/** A problem as a page, where a browser has come by itself: what happened, what to do, and a way back. */
import type { EvertickError } from '../../core/error.ts'
import { printableText } from '../../core/printable-text.ts'
import { problemOf } from '../problem.ts'
import { pageResponse } from './page.ts'
import { sign } from './style.ts'

export function problemPage(error: EvertickError, basePath: string): Response {
  const { status, detail, next } = problemOf(error)
  return pageResponse({ path: '', type: 'text/html', text: html(basePath, detail, next) }, status)
}

/** The links are relative, and the page has many paths: the base says where they begin. */
const html = (basePath: string, detail: string, next = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<base href="${basePath}/">
<title>Not signed in · Evertick</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="pages.css">
<script src="theme.js"></script>
</head>
<body class="narrow">
<main>
<h1 class="brand">${sign} Evertick</h1>
<p role="alert">${escaped(detail)}</p>
<p class="next">${escaped(next)}</p>
<p class="next"><a href="./">Back to the sign-in page</a></p>
</main>
</body>
</html>
`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return printableText(text)
    .replaceAll('`', '')
    .replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? '')
}
