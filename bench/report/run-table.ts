/** The figures of a run by engine, side by side. What they are held against stands in their ratios. */
import { engineLabels } from '../engines/engine.ts'
import { figure, quantity } from '../table.ts'
import { row, table } from './markdown-table.ts'
import type { KeptResult, Run } from './run.ts'

export const engineHeads = Object.entries({ ...engineLabels, none: 'no database' })

const share = /, (p\d+|max)$/
/** `drain 20000, concurrency 50 (raw)` */
const rival = /\([^()]+\)$/

export function runTable({ name, results }: Pick<Run, 'name' | 'results'>): string {
  const heads = engineHeads.filter(([engine]) => results.some((result) => result.engine === engine))
  const rows = Map.groupBy(results, (result) => result.name.replace(share, ''))
  const lines = [...rows].flatMap(([of, figures]) => {
    if (rival.test(of)) return []
    const against = figures.find((each) => each.against !== undefined)?.against
    const cells = heads.map(([engine]) => figures.filter((each) => each.engine === engine).map(cell))
    return [
      row([
        withCommas(against === undefined ? of : `${of}, against ${against}`),
        ...cells.map((parts) => parts.join('; ')),
      ]),
    ]
  })
  return table([`\`${name}\``, ...heads.map(([, label]) => label)], lines)
}

function cell({ name, value, unit, ratio }: KeptResult): string {
  const label = share.exec(name)?.[1]
  const parts = [
    ...(value === null ? [] : [quantity(value, unit)]),
    ...(ratio === undefined ? [] : [`${figure(ratio)}x`]),
  ]
  return `${label === undefined ? '' : `${label} `}${parts.join(', ')}`
}

function withCommas(text: string): string {
  return text.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'))
}
