/** `/docs`: the API for people, drawn from /openapi.json by a script of our own; with a session it can be tried. */
import { docsScript } from './docs-script.ts'
import type { Page } from './page.ts'
import { sign, stylePages, themeScript } from './style.ts'

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Evertick API</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="pages.css">
<script src="docs.js" defer></script>
</head>
<body>
<header class="bar"><div>
<h1 class="brand"><a href="./" title="To the dashboard">${sign} Evertick</a> API <small id="version"></small></h1>
<input id="find" type="search" placeholder="Find a route" aria-label="Find a route" autocomplete="off">
<p id="who"></p>
</div></header>
<div class="columns">
<nav id="groups" aria-label="Groups of routes"></nav>
<main id="routes" aria-busy="true"><p class="none">Loading …</p></main>
</div>
</body>
</html>
`

export const docsPages: readonly Page[] = [
  { path: '/docs', type: 'text/html', text: html },
  { path: '/docs.js', type: 'text/javascript', text: themeScript + docsScript },
  ...stylePages,
]
