/** Which seed caught which planted bug, and by which rule: kept, so that every test run can see it caught again. */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Catch {
  readonly bug: string
  readonly seed: number
  readonly rule: string
}

/** The mode of every recorded seed. */
export const catchMode = 'safety'

const file = new URL('catches.json', import.meta.url)

export function readCatches(): readonly Catch[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Catch[]
}

export function writeCatches(catches: readonly Catch[]): void {
  writeFileSync(file, `[\n${catches.map((one) => `  ${lineOf(one)}`).join(',\n')}\n]\n`)
}

/** As the formatter would write it. */
function lineOf({ bug, seed, rule }: Catch): string {
  return `{ "bug": ${JSON.stringify(bug)}, "seed": ${seed}, "rule": ${JSON.stringify(rule)} }`
}
