/** `evertick audit`: proves, on the live database, that every due tick has exactly one account. */
import type { Command } from 'commander'
import type { AuditResult } from '../../../app/job/audit-ledger.ts'
import { exitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

const shownFindings = 50

const findingWords: Readonly<Record<string, string>> = {
  unaccounted: 'due, but not accounted for',
  doubled: 'accounted for twice',
  foreign: 'accounted for, but not a tick of the schedule',
}

export function addAudit(program: Command, cli: Cli): void {
  const command = program
    .command('audit')
    .summary('prove that every tick is accounted for exactly once')
    .description(
      'Recomputes the ticks of every job from its revisions and compares them with the ledger. Exits with code 7 if a tick is missing or duplicated.',
    )
    .action(async () => {
      await withEvertick(cli, command, async (session) => {
        const bar = new ProgressBar(cli.terminal, 'Auditing')
        const result = await session.evertick.audit({ onProgress: bar.update }).finally(() => bar.end())
        if (!result.ok) cli.exitCode = exitCodes.problems
        show(session, result)
      })
    })
  examples(command, [['audit'], ['audit --json', 'for monitoring: exits with code 7 if not ok']])
}

function show({ terminal, times }: Session, result: AuditResult): void {
  const { ok, jobs, ticks, executions, ranges, unaccounted, doubled, unverifiable, findings } = result
  terminal.answer(result, (out) => {
    const books = `${counted(ticks, 'tick')} of ${counted(jobs, 'job')}, covered by ${counted(executions, 'execution')} and ${counted(ranges, 'range')}`
    out.write(
      ok
        ? `${out.paint('ran', '✓')} Every tick is accounted for exactly once. ${books}.`
        : `${out.paint('failed', '✗')} ${counted(unaccounted, 'tick')} unaccounted for, ${doubled.toLocaleString('en')} duplicated. ${books}.`,
    )
    if (unverifiable > 0) {
      out.write(
        `${out.paint('late', '!')} ${counted(unverifiable, 'tick')} cannot be verified: they were computed with another version of the time zone data.`,
      )
    }
    if (findings.length === 0) return
    out.write('')
    const rows = findings
      .slice(0, shownFindings)
      .map(({ job, kind, at, until, count }) => [
        plainText(job),
        times.full(at),
        times.full(until),
        String(count),
        findingWords[kind] ?? kind,
      ])
    const columns = ['JOB', 'FROM', 'TO', 'TICKS', 'PROBLEM']
    writeTable(out, columns, rows)
    if (findings.length > shownFindings)
      terminal.say(`… and ${findings.length - shownFindings} more; --json has them all.`)
    terminal.say('\nSee the details with `evertick explain <job> --from … --to …`.')
  })
}
