/** `evertick move`: a database moves to another, of any engine, with all that it has. */
import { hostname } from 'node:os'
import type { Command } from 'commander'
import { type Movable, type MoveResult, moveDatabase, takeBack } from '../../../app/backup/move-database.ts'
import { clockOf } from '../../../app/cluster/database-clock.ts'
import { EvertickError } from '../../../core/error.ts'
import { parseDuration } from '../../../core/schedule/duration.ts'
import { openStore } from '../../../store/open-store.ts'
import type { Store } from '../../../store/store.ts'
import { withoutSecrets } from '../../../store/store-url.ts'
import { exitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { actor, type Cli, makeFolderOf, refuseMissingFile, storeContext } from '../../session.ts'

interface MoveFlags {
  readonly from: string
  readonly to?: string
  readonly takeBack?: boolean
  readonly patience: string
}

export function addMove(program: Command, cli: Cli): void {
  const command = program
    .command('move')
    .summary('move everything to another database')
    .description(
      'Moves jobs, ticks, history, revisions and the audit log to an empty database of any engine. The nodes of the old one stop, and none starts on it again. A move that was cut off is made again by the same command.',
    )
    .requiredOption('--from <url>', 'the database that is moved')
    .option('--to <url>', 'where to: an empty database, whose tables are made')
    .option('--take-back', 'undo a move: nodes may start on the old database again')
    .option('--patience <duration>', 'how long its nodes may take to stop', '2m')
    .action(async (flags: MoveFlags) => {
      const { from, to, takeBack: isBack = false } = flags
      if ((to === undefined) !== isBack) throw notBoth()
      refuseMissingFile(cli, from)
      await withMovable(from, async (old) => {
        if (to === undefined) return await back(cli, old)
        makeFolderOf(cli, to)
        await withMovable(to, async (next) => await move(cli, old, next, flags.patience))
      })
    })
  examples(command, [
    ['move --from sqlite:.evertick/evertick.db --to mysql://…'],
    ['move --take-back --from sqlite:.evertick/evertick.db', 'before anything runs on the new one'],
  ])
}

async function withMovable(url: string, work: (movable: Movable) => Promise<void>): Promise<void> {
  const opened = await openStore(url, storeContext)
  try {
    await work({ ...opened, url, clock: await clockOf(opened.store) })
  } finally {
    await opened.store.close()
  }
}

async function move(cli: Cli, from: Movable, to: Movable, patience: string): Promise<void> {
  const { terminal } = cli
  const bar = new ProgressBar(terminal, 'Moving')
  const result = await moveDatabase(from, to, {
    actor: actor(),
    origin: hostname(),
    patienceMs: parseDuration(patience, '--patience'),
    onStep: (words) => terminal.say(words),
    onProgress: bar.update,
  }).finally(() => bar.end())
  const proof = await proven(to.store)
  if (!proof.ok) cli.exitCode = exitCodes.problems
  terminal.report({ ...result, ...proof }, sentence(result, proof.ok))
}

/** Both proofs, on the new database. */
async function proven({ ticks, audit }: Store) {
  const { unaccounted, doubled } = await ticks.auditLedger({})
  const { broken } = await audit.verifyAuditLog({})
  return { ok: unaccounted + doubled + broken.length === 0, unaccounted, doubled, broken: broken.length }
}

function sentence({ rows, to, before }: MoveResult, ok: boolean): string {
  const moved = before
    ? `Everything was moved to ${to} by an earlier try: ${counted(rows, 'row')}.`
    : `Moved ${counted(rows, 'row')} to ${to}.`
  const proof = ok
    ? 'Every tick there is accounted for exactly once, and no sealed entry of the audit log was changed.'
    : 'But the proofs found something: see `evertick audit` and `evertick audit-log --verify` there.'
  return `${moved}\n${proof}\nStart the nodes with that URL.`
}

async function back({ terminal }: Cli, from: Movable): Promise<void> {
  const mark = await takeBack(from, { actor: actor(), origin: hostname() })
  const url = withoutSecrets(from.url)
  terminal.report(
    { database: url, takenBack: mark !== null, to: mark?.to ?? null },
    mark === null
      ? `${url} was not moved: there is nothing to take back.`
      : `Nodes may start on ${url} again. Start none on ${mark.to}: what was moved there would run twice.`,
  )
}

function notBoth(): EvertickError {
  return new EvertickError('invalid_option', 'Give either --to or --take-back.', {
    field: '--to',
    next: 'Use --to to move, and --take-back to undo a move.',
  })
}
