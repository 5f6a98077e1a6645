/** How the pages of the server look: one sheet, light and dark, from a phone to a wide screen; in the dashboard's colours. */
import type { Page } from './page.ts'

const style = `:root {
  color-scheme: light dark;
  --page: light-dark(oklch(0.982 0.003 255), oklch(0.165 0.012 262));
  --card: light-dark(oklch(1 0 0), oklch(0.205 0.014 262));
  --line: light-dark(oklch(0.918 0.006 255), oklch(0.29 0.015 262));
  --text: light-dark(oklch(0.24 0.02 262), oklch(0.94 0.007 255));
  --dim: light-dark(oklch(0.47 0.018 260), oklch(0.73 0.016 258));
  --accent: light-dark(oklch(0.5 0.12 165), oklch(0.78 0.14 165));
  --on-accent: light-dark(oklch(1 0 0), oklch(0.18 0.03 165));
  --get: light-dark(oklch(0.48 0.14 250), oklch(0.76 0.11 245));
  --post: light-dark(oklch(0.47 0.12 155), oklch(0.78 0.14 158));
  --patch: light-dark(oklch(0.5 0.11 70), oklch(0.82 0.13 80));
  --delete: light-dark(oklch(0.52 0.19 25), oklch(0.74 0.14 22));
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace;
}
:root[data-theme='light'] { color-scheme: light }
:root[data-theme='dark'] { color-scheme: dark }
* { box-sizing: border-box }
html { scroll-padding-top: 76px }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif }
a { color: inherit }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
code, pre { font: 13px/1.55 var(--mono) }
.bar { position: sticky; top: 0; z-index: 1; background: var(--page); border-bottom: 1px solid var(--line) }
.bar > div { display: flex; align-items: center; gap: 16px; max-width: 1120px; margin: 0 auto; padding: 12px 24px }
.brand { display: flex; align-items: center; gap: 10px; margin: 0; font-size: 16px; font-weight: 600; letter-spacing: -0.01em; white-space: nowrap }
.brand a { display: flex; align-items: center; gap: 10px; text-decoration: none }
.brand svg { width: 22px; height: 22px; fill: var(--accent) }
.brand small { font-size: 13px; font-weight: 400; color: var(--dim) }
#find { flex: 1; min-width: 0; max-width: 380px; margin-left: auto; padding: 7px 12px; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px }
#find::placeholder { color: var(--dim) }
#who { margin: 0; font-size: 13px; color: var(--dim); white-space: nowrap }
.columns { display: grid; grid-template-columns: 150px minmax(0, 1fr); gap: 40px; max-width: 1120px; margin: 0 auto; padding: 28px 24px 80px }
nav { position: sticky; top: 84px; align-self: start; display: grid; gap: 2px; font-size: 14px }
nav a { padding: 5px 10px; border-radius: 6px; text-decoration: none; color: var(--dim) }
nav a:hover { background: var(--card); color: var(--text) }
.lead { margin: 0 0 8px; max-width: 68ch; color: var(--dim) }
h2 { margin: 28px 0 10px; font-size: 16px; font-weight: 600 }
h3 { margin: 18px 0 6px; font-size: 12px; font-weight: 600; letter-spacing: 0.03em; color: var(--dim) }
.routes { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden }
details + details { border-top: 1px solid var(--line) }
summary { display: grid; grid-template-columns: 58px minmax(0, auto) 1fr auto; gap: 4px 12px; align-items: baseline;
  padding: 10px 16px; cursor: pointer; list-style: none }
summary::-webkit-details-marker { display: none }
summary:hover { background: var(--page) }
summary code { overflow-wrap: anywhere }
.method { font: 600 12px/1.5 var(--mono) }
.get { color: var(--get) } .post { color: var(--post) } .patch { color: var(--patch) } .delete { color: var(--delete) }
.what { color: var(--dim); font-size: 14px }
.role { padding: 1px 8px; border: 1px solid var(--line); border-radius: 99px; font-size: 12px; color: var(--dim) }
.inside { padding: 0 16px 18px 86px }
table { width: 100%; border-collapse: collapse; font-size: 13.5px }
td { padding: 6px 14px 6px 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
tr:first-child td { border-top: 0 }
td:first-child { width: 28% } td:nth-child(2) { color: var(--dim) }
pre { margin: 6px 0 0; padding: 12px 14px; max-height: 420px; overflow: auto; background: var(--page);
  border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere }
button { margin-top: 14px; padding: 6px 14px; font: inherit; font-size: 14px; font-weight: 500; color: var(--on-accent);
  background: var(--accent); border: 0; border-radius: 8px; cursor: pointer }
button:disabled { opacity: 0.6; cursor: default }
.none { color: var(--dim) }
.narrow { display: grid; place-items: center; min-height: 100vh; padding: 24px }
.narrow main { width: 100%; max-width: 420px; padding: 32px; background: var(--card); border: 1px solid var(--line);
  border-radius: 16px; box-shadow: 0 8px 30px light-dark(oklch(0.2 0.02 260 / 0.14), oklch(0 0 0 / 0.55)) }
.narrow .brand { font-size: 20px } .narrow .brand svg { width: 26px; height: 26px }
.narrow p { margin: 16px 0 0 }
.narrow .next { color: var(--dim); font-size: 14px }
@media (max-width: 760px) {
  html { scroll-padding-top: 112px }
  .bar > div { flex-wrap: wrap; gap: 8px 12px; padding: 10px 16px }
  #who { margin-left: auto } #find { order: 3; flex-basis: 100%; max-width: none }
  .columns { display: block; padding: 16px 16px 64px }
  nav { position: static; display: flex; flex-wrap: wrap; gap: 0 4px; margin: 0 -10px 12px }
  summary { grid-template-columns: 58px minmax(0, 1fr) auto; padding: 12px }
  .what { grid-column: 2 / -1; grid-row: 2 }
  .inside { padding: 0 12px 16px }
}
`

const mark =
  '<rect x="2" y="14" width="4" height="8" rx="1"/><rect x="8" y="10" width="4" height="12" rx="1"/>'
const bars = `${mark}<rect x="14" y="6" width="4" height="16" rx="1"/><rect x="20" y="2" width="4" height="20" rx="1"/>`

/** The logo of Evertick, shown beside its name. */
export const sign = `<svg viewBox="0 0 26 24" aria-hidden="true">${bars}</svg>`

/** The theme that was chosen in the dashboard applies here, too. */
export const themeScript = `try {
  const { theme } = JSON.parse(localStorage.getItem('evertick') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
`

export const stylePages: readonly Page[] = [
  { path: '/pages.css', type: 'text/css', text: style },
  { path: '/theme.js', type: 'text/javascript', text: themeScript },
  {
    path: '/icon.svg',
    type: 'image/svg+xml',
    text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 24" fill="#12946b">${bars}</svg>\n`,
  },
]
