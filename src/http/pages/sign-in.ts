/**
 * The page that a sign-in link opens. The code is after the `#`, which no browser sends: it is in no log and no referrer.
 */
import type { Page } from './page.ts'
import { sign, themeScript } from './style.ts'

export const signInPath = '/sign-in'

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in to Evertick</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="pages.css">
<script src="sign-in.js" defer></script>
</head>
<body class="narrow">
<main>
<h1 class="brand">${sign} Evertick</h1>
<p id="state" role="status">Signing in …</p>
<p id="next" class="next"></p>
</main>
</body>
</html>
`

const script = `${themeScript}const code = decodeURIComponent(location.hash.slice(1))
history.replaceState(null, '', location.pathname)
const say = (text, next = '') => {
  document.getElementById('state').textContent = text
  document.getElementById('next').textContent = next
}
async function signIn() {
  if (code === '') return say('This link has no code.', 'Make one with: evertick login')
  const response = await fetch('api/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  if (response.ok) return location.replace('./')
  const problem = await response.json().catch(() => ({}))
  say(problem.detail ?? 'Could not sign in.', (problem.next ?? '').replaceAll(String.fromCharCode(96), ''))
}
signIn().catch(() => say('The server does not answer.', 'Check that the node still runs, then open the link again.'))
`

export const signInPages: readonly Page[] = [
  { path: signInPath, type: 'text/html', text: html },
  { path: '/sign-in.js', type: 'text/javascript', text: script },
]
