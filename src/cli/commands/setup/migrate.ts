/** `evertick migrate`: the schema of the database. */
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { EvertickError } from '../../../core/error.ts'
import type { LeftAt, Migrator } from '../../../store/migrate.ts'
import { openStore } from '../../../store/open-store.ts'
import { examples } from '../../help.ts'
import { counted, listed } from '../../output/count-words.ts'
import { writeTable } from '../../output/table.ts'
import type { Times } from '../../output/times.ts'
import {
  type Cli,
  databaseFile,
  databaseOf,
  databaseToMake,
  databaseWords,
  settingsOf,
  storeContext,
  timesOf,
} from '../../session.ts'
import type { Settings } from '../../settings.ts'

export function addMigrate(program: Command, cli: Cli): void {
  const migrate = program
    .command('migrate')
    .summary('create, update or remove the tables')
    .description('Manages Evertick’s tables in your database.')

  const up = migrate
    .command('up')
    .description('Brings the schema up to date. Creates the SQLite file if it does not exist.')
    .action(() =>
      withMigrator(
        cli,
        up,
        async (migrator) => {
          const applied = await migrator.up(Date.now())
          if (cli.terminal.json) return cli.terminal.data({ applied })
          for (const name of applied) cli.terminal.say(`applied ${name}`)
          cli.terminal.say(
            applied.length === 0
              ? 'The schema is up to date.'
              : `${counted(applied.length, 'migration')} applied.`,
          )
        },
        { ifMissing: 'create' },
      ),
    )
  examples(up, [['migrate up'], ['migrate up --database sqlite:data/evertick.db']])

  const down = migrate
    .command('down')
    .description(
      'Removes all of Evertick’s tables, with all jobs and their history. With --to, only what came after that migration, so that an older Evertick can go on with the jobs and the ledger.',
    )
    .option('--to <migration>', 'the last one to keep: 0005_alerts, or just 5')
    .option('--yes', 'do not ask for confirmation')
    .action((options: { to?: string; yes?: true }) =>
      withMigrator(cli, down, async (migrator) => {
        const to = options.to === undefined ? null : await leftAt(migrator, options.to)
        await confirmed(cli, options.yes === true, to === null ? allGoes : laterGoes)
        const undone = await (to === null ? migrator.down() : migrator.down(to))
        if (cli.terminal.json) return cli.terminal.data({ undone })
        for (const name of undone) cli.terminal.say(`reverted ${name}`)
        cli.terminal.say(undone.length === 0 ? 'There was nothing to remove.' : removedWords(to))
      }),
    )
  examples(down, [
    ['migrate down --yes'],
    ['migrate down --to 0005_alerts', 'before an older Evertick starts'],
  ])

  addStatusAndPlan(migrate, cli)
}

function addStatusAndPlan(migrate: Command, cli: Cli): void {
  const status = migrate
    .command('status')
    .description('Lists the migrations and when each was applied.')
    .action(() =>
      withMigrator(cli, status, async (migrator, times) => {
        const migrations = (await migrator.status()).map((migration) => ({
          ...migration,
          appliedAt: migration.appliedAt === null ? null : new Date(migration.appliedAt),
        }))
        cli.terminal.answer({ migrations }, (out) => {
          const rows = migrations.map(({ name, appliedAt }) => [
            name,
            appliedAt === null ? out.paint('late', 'pending') : times.both(appliedAt),
          ])
          writeTable(out, ['MIGRATION', 'APPLIED'], rows)
        })
      }),
    )
  examples(status, [['migrate status']])

  const plan = migrate
    .command('plan')
    .description('Prints the SQL that `migrate up` would run.')
    .action(() =>
      withMigrator(
        cli,
        plan,
        async (migrator) => {
          const pending = (await migrator.plan()).map(({ version, name, up }) => ({ version, name, sql: up }))
          cli.terminal.answer({ pending }, (out) => {
            if (pending.length === 0)
              return cli.terminal.say('The schema is up to date; there is nothing to run.')
            for (const { name, sql } of pending) out.write(`-- ${name}\n${sql.trimEnd()}\n`)
          })
        },
        { ifMissing: 'in_memory' },
      ),
    )
  examples(plan, [['migrate plan > review.sql']])
}

/** What to do if the SQLite file does not exist; a plan needs none. */
type IfMissing = 'refuse' | 'create' | 'in_memory'

async function withMigrator(
  cli: Cli,
  command: Command,
  work: (migrator: Migrator, times: Times) => void | Promise<void>,
  { ifMissing = 'refuse' }: { ifMissing?: IfMissing } = {},
): Promise<void> {
  const settings = await settingsOf(cli, command)
  const url = urlToMigrate(cli, settings, ifMissing)
  cli.terminal.say(`Database: ${databaseWords(settings)}`)
  const { store, migrator } = await openStore(url, storeContext)
  try {
    await work(migrator, timesOf(cli, settings))
  } finally {
    await store.close()
  }
}

function urlToMigrate(cli: Cli, settings: Settings, ifMissing: IfMissing): string {
  if (ifMissing === 'refuse') return databaseOf(cli, settings, false)
  if (ifMissing === 'create') return databaseToMake(cli, settings)
  const url = settings.database?.url ?? settings.ownDatabase
  const file = databaseFile(cli, url)
  return file === null || existsSync(file) ? url : 'sqlite::memory:'
}

const allGoes = 'This removes all jobs and their history'
const laterGoes = 'This removes what the later migrations brought, with its rows'

function removedWords(to: LeftAt | null): string {
  return to === null ? 'Removed Evertick’s tables.' : 'The jobs and the ledger are still there.'
}

async function leftAt(migrator: Migrator, given: string): Promise<LeftAt> {
  const known = await migrator.status()
  const kept = known.find(({ name, version }) => name === given || version === Number(given))
  if (kept !== undefined) return { version: kept.version, now: Date.now() }
  throw new EvertickError('invalid_option', `${JSON.stringify(given)} is not a migration.`, {
    field: '--to',
    next: `Use one of ${listed(known.map(({ name }) => name))}.`,
  })
}

async function confirmed({ terminal }: Cli, yes: boolean, what: string): Promise<void> {
  if (yes) return
  if (process.stdin.isTTY && terminal.err.tty && !terminal.json) {
    const prompt = createInterface({ input: process.stdin, output: process.stderr })
    const answer = await prompt.question(`${what}. Type "yes" to continue: `)
    prompt.close()
    if (answer.trim().toLowerCase() === 'yes') return
  }
  throw new EvertickError('invalid_option', `${what}, so it needs confirmation. Nothing was changed.`, {
    next: 'Add --yes to confirm.',
  })
}
