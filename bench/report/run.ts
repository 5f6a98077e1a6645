/** A run of one measure as docs/performance keeps it: a file of its own, of which one table of the page is made. */
import { globSync, readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../scripts/run-command.ts'
import type { Result } from '../measure.ts'
import type { Taken } from '../peers/report/comparison.ts'

export interface RunHead {
  /** The name of its file, and of its table: what `--only` was given, and `-large` where it took minutes. */
  readonly name: string
  readonly command: string
  readonly takenAt: string
  readonly commit: string
  readonly machine: string
  /** What a reader must know of its figures. */
  readonly note?: string
  readonly settings: Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, string>>
}

/** A result as `--json` prints it; without a value where only its ratio was kept. */
export type KeptResult = Omit<Result, 'measure' | 'spread' | 'value'> & { readonly value: number | null }

export interface Run extends RunHead {
  readonly results: readonly KeptResult[]
}

export type AnyRun = Run | Taken

/** To be asked before anything is measured: the load is that of the others. */
export async function headNow(): Promise<Pick<RunHead, 'takenAt' | 'commit' | 'machine'>> {
  const load = loadavg()[0]?.toFixed(1)
  return {
    takenAt: new Date().toISOString(),
    commit: (await runCommand('git', ['rev-parse', '--short', 'HEAD'])).stdout.trim(),
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${process.platform}, load before it ${load}`,
  }
}

export function readRuns(docs: string): AnyRun[] {
  return globSync('performance/*.json', { cwd: docs })
    .toSorted()
    .map((path) => JSON.parse(readFileSync(join(docs, path), 'utf8')) as AnyRun)
}

export function isOurs(run: AnyRun): run is Run {
  return 'results' in run
}
