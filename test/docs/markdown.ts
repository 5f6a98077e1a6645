/** What the tests read out of the documentation: code samples, tables and headings. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run-command.ts'

export interface Sample {
  /** `docs/guide/overlap.md, sample 2`. */
  readonly title: string
  readonly file: string
  readonly code: string
  /** False for a block marked `ts no-run`: it is only compiled. */
  readonly runs: boolean
  /** The texts after `//=>`, in order: what the sample must print, and nothing else. */
  readonly prints: readonly string[]
}

export function pages(): string[] {
  return ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: root }).toSorted()]
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

export function samplesOf(page: string, text: string): Sample[] {
  return [...text.matchAll(/^```ts( no-run)?\n([\s\S]*?)^```$/gm)].map(([, mark, code = ''], index) => ({
    title: `${page}, sample ${index + 1}`,
    file: `${page.replaceAll(/[/.]/g, '-')}-${index + 1}.mts`,
    code,
    runs: mark === undefined,
    prints: [...code.matchAll(/\/\/=> (.*)$/gm)].map((hit) => hit[1] ?? ''),
  }))
}

export type ShellSample = Pick<Sample, 'title' | 'code' | 'prints'>

/** The blocks for a shell; what they must print stands after `#=>`. */
export function shellSamplesOf(page: string, text: string): ShellSample[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = ''], index) => ({
    title: `${page}, shell sample ${index + 1}`,
    code,
    prints: [...code.matchAll(/^#=> (.*)$/gm)].map((hit) => hit[1] ?? ''),
  }))
}

/** The rows of the first table after a heading, without its head; cells are trimmed, and lose their backquotes. */
export function tableAfter(text: string, heading: string): string[][] {
  const start = text.indexOf(`\n${heading}\n`)
  if (start < 0) throw new Error(`There is no heading "${heading}".`)
  const lines = text.slice(start + heading.length + 2).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const following = lines.findIndex((line) => /^#+ /.test(line))
  if (first < 0 || (following >= 0 && following < first)) throw new Error(`No table follows "${heading}".`)
  const rest = lines.slice(first + 2)
  const length = rest.findIndex((line) => !line.startsWith('|'))
  return rest.slice(0, length < 0 ? rest.length : length).map(cellsOf)
}

function cellsOf(line: string): string[] {
  return line
    .replaceAll('\\|', '\u0000')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('\u0000', '|').replaceAll('`', '').trim())
}

/** The Mermaid block after a heading, as `from -> to` lines with their labels. */
export function edgesAfter(text: string, heading: string): { from: string; to: string; label: string }[] {
  const start = text.indexOf(`\n${heading}\n`)
  const block = /^```mermaid\n([\s\S]*?)^```$/m.exec(text.slice(start))?.[1] ?? ''
  return [...block.matchAll(/^\s*(\S+) --> (\S+?)(?:\s*:\s*(.+))?$/gm)].map(
    ([, from = '', to = '', label = '']) => ({ from, to, label }),
  )
}
