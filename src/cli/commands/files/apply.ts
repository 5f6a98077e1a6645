/** `evertick apply` and `evertick diff`: the jobs of a file, made so, or compared. */
import type { Command } from 'commander'
import type { ApplyResult } from '../../../app/job/managed/apply-list.ts'
import { exitCodes } from '../../exit-code.ts'
import { collect, examples } from '../../help.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { nameOfFile, readFiles } from './read-files.ts'
import { refuseEntries, refuseTroubles } from './refuse-files.ts'
import { showChanges } from './show-changes.ts'

interface ListFlags {
  readonly filename?: readonly string[]
  readonly name?: string
  readonly prune?: true
  readonly adopt?: true
}

interface ApplyFlags extends ListFlags {
  readonly dryRun?: true
  readonly schema?: true
}

export function addApply(program: Command, cli: Cli): void {
  const apply = listFlags(program.command('apply'))
    .summary('bring jobs to what a file says')
    .description(
      'Creates and updates the jobs of a file, in YAML or JSON. It owns them, as file:<name>. All of it is checked before anything is written. A job is written only where the file has changed since: what somebody else changes holds until then.',
    )
    .option('--dry-run', 'only show what would be done, field by field')
    .option('--schema', 'print the JSON Schema of such a file, for your editor')
    .action((flags: ApplyFlags) => {
      if (flags.schema === true) return printSchema(cli)
      return runList(cli, apply, flags, { dryRun: flags.dryRun === true, show: showApplied })
    })
  examples(apply, [
    ['apply -f jobs.yaml --dry-run', 'what would be done'],
    ['apply -f jobs.yaml'],
    ['apply -f jobs/ --name billing --prune', 'a folder; jobs of it that are gone are deleted'],
    ['apply --schema > jobs.schema.json', 'then your editor checks and completes'],
  ])
}

export function addDiff(program: Command, cli: Cli): void {
  const diff = listFlags(program.command('diff'))
    .summary('compare jobs with what a file says')
    .description(
      'Shows what differs between a file and its jobs: what `apply` would do, what somebody has changed by hand, and which jobs are gone from the file. Exits with code 7 if there is anything.',
    )
    .action((flags: ListFlags) => runList(cli, diff, flags, { dryRun: true, show: showDiff }))
  examples(diff, [['diff -f jobs.yaml'], ['diff -f jobs.yaml --prune --json']])
}

function listFlags(command: Command): Command {
  return command
    .option(
      '-f, --filename <file>',
      'a file or a folder of files; - reads standard input; can be repeated',
      collect,
    )
    .option('--name <name>', 'the owner is file:<name> (default: the name of the file or folder)')
    .option('--prune', 'delete the jobs of this owner that are no longer in it')
    .option('--adopt', 'take over jobs that were made by hand, or that another file owns')
}

interface Way {
  readonly dryRun: boolean
  readonly show: (cli: Cli, result: ApplyResult) => void
}

async function runList(cli: Cli, command: Command, flags: ListFlags, { dryRun, show }: Way): Promise<void> {
  const { filename = [], prune = false, adopt = false } = flags
  if (filename.length === 0) command.error('error: no file was given: add -f <file>')
  const own = filename.length === 1 ? nameOfFile(cli, filename[0] ?? '') : null
  const name = flags.name ?? own
  if (name === null) command.error('error: several files, or standard input, need a --name for their owner')
  const { jobs, troubles } = await readFiles(cli, filename)
  refuseTroubles(cli.terminal, troubles)
  const request = { name: name ?? '', jobs: jobs.map(({ value }) => value), prune, adopt }
  await withEvertick(
    cli,
    command,
    async ({ evertick, actor }) => {
      const plan = await evertick.apply({ ...request, dryRun: true }, { actor })
      refuseEntries(cli.terminal, plan.refused, jobs)
      show(cli, dryRun ? plan : await evertick.apply(request, { actor }))
    },
    dryRun ? { inMemoryIfMissing: true } : { mayCreate: true },
  )
}

function showApplied(cli: Cli, result: ApplyResult): void {
  if (result.failed.length > 0) cli.exitCode = exitCodes.failed
  showChanges(cli.terminal, result, { fields: result.dryRun })
}

function showDiff(cli: Cli, result: ApplyResult): void {
  if (result.changes.length + result.missing.length > 0) cli.exitCode = exitCodes.problems
  showChanges(cli.terminal, result, { fields: true })
}

async function printSchema({ terminal }: Cli): Promise<void> {
  const { listSchema } = await import('../../../app/job/managed/list-schema.ts')
  terminal.out.write(JSON.stringify(listSchema(), null, 2))
}
