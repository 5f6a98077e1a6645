import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type CommandOptions, root, runCommand } from './run-command.ts'

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface TimedTest {
  readonly name: string
  readonly durationMs: number
}

export interface VitestRun extends Tally {
  readonly slowest: readonly TimedTest[]
}

/** What of vitest's JSON report is used here. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly duration?: number | null
    }[]
  }[]
}

/** Runs vitest with its usual output, and counts from its JSON report. */
export async function runVitest(
  args: readonly string[],
  env: CommandOptions['env'] = {},
): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-vitest-'))
  try {
    const file = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { ok, text } = await runCommand('vitest', ['run', ...reporters, ...args], {
      output: 'inherit',
      env,
    })
    if (text !== '') console.log(text)
    return countReport(readReport(file), ok)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    // vitest died before it could write; countReport turns that into a failure.
    return undefined
  }
}

/** `ok` is vitest's exit: a file that cannot be loaded or a stray rejection fails the run without a failed test. */
export function countReport(report: Report | undefined, ok: boolean): VitestRun {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0, slowest: [] }
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
  )
  const failed = report.numFailedTests + brokenFiles.length
  return {
    passed: report.numPassedTests,
    failed: ok ? failed : Math.max(failed, 1),
    skipped: report.numPendingTests + report.numTodoTests,
    slowest: slowestTests(report, 10),
  }
}

function slowestTests(report: Report, count: number): TimedTest[] {
  return report.testResults
    .flatMap((file) =>
      file.assertionResults.map((result) => ({
        name: `${relative(root, file.name)} > ${result.fullName}`,
        durationMs: result.duration ?? 0,
      })),
    )
    .toSorted((a, b) => b.durationMs - a.durationMs)
    .slice(0, count)
}
