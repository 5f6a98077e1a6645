/** Horizontal bars as SVG: text stays text, both colour schemes are in it, and a screen reader hears every value. */

export interface Bar {
  readonly label: string
  readonly value: number
  readonly low: number
  readonly high: number
  /** Ours stand out. */
  readonly kind: 'ours' | 'peer' | 'raw'
}

export interface Chart {
  readonly title: string
  readonly unit: string
  readonly better: 'more' | 'less'
  readonly bars: readonly Bar[]
  readonly figure: (value: number) => string
}

const width = 900
/** A wide letter at this size: an image cannot measure its text, and a label that is cut off says nothing. */
const letterWidth = 7.2
const valueWidth = 110
const rowHeight = 24
const headHeight = 52
/** Beyond this, small bars could not be told apart on a linear scale. */
const linearUpTo = 20

export function barChart({ title, unit, better, bars, figure }: Chart): string {
  const height = headHeight + bars.length * rowHeight + 12
  const labelWidth = Math.ceil(24 + letterWidth * Math.max(...bars.map(({ label }) => label.length)))
  const scale = scaleOf(bars, width - labelWidth - valueWidth)
  const under = `${unit}, ${better === 'more' ? 'longer is better' : 'shorter is better'}; ${scale.name} scale; the thin line is lowest to highest round`
  const spoken = bars.map(({ label, value }) => `${label}: ${figure(value)} ${unit}`).join('; ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(`${under}. ${spoken}.`)}</desc>`,
    style,
    `<rect class="page" width="${width}" height="${height}" rx="6"/>`,
    `<text class="title" x="16" y="24">${escaped(title)}</text>`,
    `<text class="under" x="16" y="42">${escaped(under)}</text>`,
    ...bars.map((bar, index) => rowOf(bar, headHeight + index * rowHeight, labelWidth, scale, figure)),
    '</svg>',
    '',
  ].join('\n')
}

interface Scale {
  readonly name: 'linear' | 'logarithmic'
  /** Pixels from the left edge of the plot. */
  readonly at: (value: number) => number
}

function scaleOf(bars: readonly Bar[], plotWidth: number): Scale {
  const most = Math.max(...bars.map(({ high }) => high))
  const least = Math.min(...bars.map(({ low }) => low).filter((low) => low > 0))
  if (!(most / least > linearUpTo)) return { name: 'linear', at: (value) => (plotWidth * value) / most }
  // From the power of ten below the least, so that its bar is still seen.
  const from = 10 ** Math.floor(Math.log10(least * 0.8))
  const span = Math.log10(most / from)
  const at = (value: number) => (value <= from ? 1 : (plotWidth * Math.log10(value / from)) / span)
  return { name: 'logarithmic', at }
}

function rowOf(
  { label, value, low, high, kind }: Bar,
  top: number,
  labelWidth: number,
  scale: Scale,
  figure: Chart['figure'],
): string {
  const middle = top + rowHeight / 2
  const [bar, from, to] = [value, low, high].map((each) => round(scale.at(each))) as [number, number, number]
  return [
    `<g class="${kind}">`,
    `<text class="label" x="${labelWidth - 8}" y="${middle + 4}">${escaped(label)}</text>`,
    `<rect class="bar" x="${labelWidth}" y="${top + 4}" width="${Math.max(1, bar)}" height="${rowHeight - 8}" rx="2"/>`,
    `<line x1="${labelWidth + from}" x2="${labelWidth + to}" y1="${middle}" y2="${middle}"/>`,
    `<text class="value" x="${labelWidth + Math.max(bar, to) + 6}" y="${middle + 4}">${escaped(figure(value))}</text>`,
    '</g>',
  ].join('')
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An image on a page follows the reader's system, not the page: it brings its own ground. */
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 15px }
.under { font-size: 12px; fill: #59636e }
.label { text-anchor: end }
.page { fill: #ffffff }
line { stroke: #1f2328; stroke-width: 1.5 }
.ours .bar { fill: #0969da } .ours text { font-weight: 600 }
.peer .bar { fill: #8c959f }
.raw .bar { fill: none; stroke: #8c959f; stroke-dasharray: 3 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .under { fill: #9198a1 } .page { fill: #0d1117 } line { stroke: #e6edf3 }
.ours .bar { fill: #4493f8 } .peer .bar { fill: #656c76 } .raw .bar { fill: none; stroke: #9198a1 }
}
</style>`
