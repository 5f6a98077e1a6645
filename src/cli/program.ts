/** The tree of commands. commands/ has a folder per noun, whose files add their own. */
import { Command } from 'commander'
import { version } from '../app/config/version.ts'
import { EvertickError } from '../core/error.ts'
import { addLogin } from './commands/access/login.ts'
import { addOpenapi } from './commands/access/openapi.ts'
import { addToken } from './commands/access/token.ts'
import { addAlerts } from './commands/alerts/alerts.ts'
import { addAudit } from './commands/audit/audit.ts'
import { addAuditLog } from './commands/audit/audit-log.ts'
import { addBackup } from './commands/backup/backup.ts'
import { addMove } from './commands/backup/move.ts'
import { addRestore } from './commands/backup/restore.ts'
import { addLeader } from './commands/cluster/leader.ts'
import { addLeases } from './commands/cluster/leases.ts'
import { addLocks } from './commands/cluster/locks.ts'
import { addNodes } from './commands/cluster/nodes.ts'
import { addQueues } from './commands/cluster/queues.ts'
import { addCompletion } from './commands/completion/completion.ts'
import { addExport } from './commands/crontab/export.ts'
import { addImport } from './commands/crontab/import.ts'
import { addDoctor } from './commands/doctor/doctor.ts'
import { addExecutions } from './commands/executions/executions.ts'
import { addApply, addDiff } from './commands/files/apply.ts'
import { addJobs } from './commands/jobs/jobs.ts'
import { addWhy } from './commands/jobs/why.ts'
import { addStart } from './commands/node/start.ts'
import { addWorker } from './commands/node/worker.ts'
import { addEvents } from './commands/reports/events.ts'
import { addStats } from './commands/reports/stats.ts'
import { addSecrets } from './commands/secrets/secrets.ts'
import { addInit } from './commands/setup/init.ts'
import { addMigrate } from './commands/setup/migrate.ts'
import { addBackfill } from './commands/ticks/backfill.ts'
import { addCron } from './commands/ticks/cron.ts'
import { addExplain } from './commands/ticks/explain.ts'
import { addWebhooks } from './commands/webhooks/webhooks.ts'
import { examples } from './help.ts'
import type { Cli } from './session.ts'
import type { GlobalFlags } from './settings.ts'

const groups = [
  { title: 'Run:', add: [addInit, addStart, addWorker, addMigrate] },
  { title: 'Jobs and ticks:', add: [addJobs, addExecutions, addWhy, addExplain, addBackfill, addCron] },
  { title: 'Files of jobs:', add: [addApply, addDiff, addImport, addExport] },
  { title: 'Backup:', add: [addBackup, addRestore, addMove] },
  {
    title: 'Verify and monitor:',
    add: [addAlerts, addAudit, addDoctor, addStats, addEvents, addWebhooks, addAuditLog],
  },
  { title: 'Cluster:', add: [addLeader, addNodes, addQueues, addLeases, addLocks] },
  { title: 'Access:', add: [addLogin, addToken, addSecrets, addOpenapi, addCompletion] },
]

/** These work on this machine, so a server cannot run them for it. */
export const localCommands: readonly string[] = [
  'init',
  'start',
  'worker',
  'migrate',
  'backup',
  'restore',
  'move',
  'import processing-jobs',
  'import schedules',
  'import interval-jobs',
  'import leader-log',
  'cron',
  'login',
  'openapi',
  'completion',
]

/** Only --url is refused: EVERTICK_URL may be set for the other commands. */
function refuseServer(command: Command): void {
  const path = pathOf(command)
  const name = localCommands.find((local) => `${path.join(' ')} `.startsWith(`${local} `))
  if (command.optsWithGlobals<GlobalFlags>().url === undefined || name === undefined) return
  throw new EvertickError(
    'invalid_option',
    `\`evertick ${name}\` only works on this machine, not on a server.`,
    {
      field: '--url',
      next: 'Remove --url, or run it on the machine where the node runs.',
    },
  )
}

/** The names of the command and its parents, without the program itself. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()]
}

export function createProgram(cli: Cli): Command {
  const program = new Command('evertick')
    .description('A job scheduler that accounts for every tick.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--url <url>', 'the server to use instead of a database (default: EVERTICK_URL)')
    .option(
      '--token <token>',
      'the token for the server; other users can see it in `ps`, so prefer EVERTICK_TOKEN',
    )
    .option('--database <url>', 'the database URL, such as sqlite:evertick.db')
    .option(
      '--config <file>',
      'the configuration file (default: evertick.config.ts, .js or .mjs in this folder)',
    )
    .option('--json', 'print JSON to standard output, and errors as JSON to standard error')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.terminal.out.writeText(text),
      // The help for a line without a command.
      writeErr: (text) => {
        if (!cli.terminal.json) cli.terminal.err.writeText(text)
      },
      // main reports the error, once.
      outputError: () => {},
    })
  program.hook('preAction', (_, command) => refuseServer(command))
  for (const { title, add } of groups) {
    program.commandsGroup(title)
    for (const addCommand of add) addCommand(program, cli)
  }
  program.addHelpCommand(
    new Command('help').argument('[command]').description('print the help for a command').helpGroup('Help:'),
  )
  examples(program, [
    ['init', 'write evertick.config.ts and an example job'],
    ['start', 'run the jobs it defines'],
    ['jobs list', 'see what is due, and when'],
    ['explain nightly-report --from 24h', 'see what happened to each tick, and why'],
    ['audit', 'prove that no tick was lost or duplicated'],
  ])
  return program
}
