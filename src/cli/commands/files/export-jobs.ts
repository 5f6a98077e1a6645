/** `evertick export yaml|json` and `evertick import json`: jobs as a file, and back. */
import type { Command } from 'commander'
import type { FileFormat } from '../../../sources/file/write-jobs-file.ts'
import { exitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { readFiles } from './read-files.ts'
import { refuseEntries, refuseTroubles } from './refuse-files.ts'
import { showChanges } from './show-changes.ts'

export function addExportJobs(group: Command, cli: Cli, format: FileFormat): void {
  const command = group
    .command(format)
    .description(
      `Prints jobs as ${format.toUpperCase()} that \`apply\` takes: their definitions, without their history. Values that are secret are left out as [redacted]. Of all jobs, those that are completed or cancelled are left out.`,
    )
    .argument('[job...]', 'only these jobs')
    .action((names: readonly string[]) =>
      withEvertick(cli, command, async ({ evertick, terminal }) => {
        const { jobs, leftOut } = await evertick.exportJobs(names.length === 0 ? undefined : names)
        const { writeJobsFile } = await import('../../../sources/file/write-jobs-file.ts')
        const text = writeJobsFile(format, jobs, leftOut)
        terminal.answer({ format, text, jobs, leftOut }, (out) => {
          out.writeText(text)
          const left =
            leftOut.length === 0 ? '' : `, left out ${leftOut.length} that are over: name them to have them`
          terminal.say(`Exported ${counted(jobs.length, 'job')}${left}.`)
        })
      }),
    )
  examples(command, [[`export ${format} > jobs.${format}`], [`export ${format} nightly-report`]])
}

export function addImportJobs(group: Command, cli: Cli): void {
  const command = group
    .command('json')
    .description(
      'Creates the jobs that `export json` wrote, as if by hand: nobody owns them. Jobs that are there already are left alone. All of it is checked before anything is written. Exits with code 7 if a job is there already and differs.',
    )
    .argument('<file>', 'the file; - reads standard input')
    .option('--dry-run', 'only show what would be done, field by field')
    .action(async (file: string, flags: { readonly dryRun?: true }) => {
      const dryRun = flags.dryRun === true
      const { jobs, troubles } = await readFiles(cli, [file])
      refuseTroubles(cli.terminal, troubles)
      const request = { jobs: jobs.map(({ value }) => value) }
      await withEvertick(
        cli,
        command,
        async ({ evertick, actor, terminal }) => {
          const plan = await evertick.apply({ ...request, dryRun: true }, { actor })
          refuseEntries(terminal, plan.refused, jobs)
          const result = dryRun ? plan : await evertick.apply(request, { actor })
          if (result.kept.length > 0) cli.exitCode = exitCodes.problems
          if (result.failed.length > 0) cli.exitCode = exitCodes.failed
          showChanges(terminal, result, { fields: dryRun })
        },
        dryRun ? { inMemoryIfMissing: true } : { mayCreate: true },
      )
    })
  examples(command, [['import json jobs.json --dry-run'], ['import json jobs.json']])
}
