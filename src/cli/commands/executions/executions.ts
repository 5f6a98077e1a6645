/** `evertick executions`: the single units of work. */
import type { Command } from 'commander'
import { type ExecutionState, executionStates } from '../../../core/execution/execution-state.ts'
import { choice, examples, jsonValue, pageOptions, sayMore } from '../../help.ts'
import { stateCell } from '../../output/execution-state.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { executionSentence } from '../../output/tick-sentence.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { levelStyles } from '../../stream-logger.ts'
import { showExecution } from './show.ts'

interface ListOptions {
  readonly job?: string
  readonly state?: ExecutionState
  readonly queue?: string
  readonly limit?: number
  readonly cursor?: string
}

export function addExecutions(program: Command, cli: Cli): void {
  const group = program
    .command('executions')
    .alias('execution')
    .summary('list, show, signal, cancel and retry executions')
    .description('Manages executions: the work that ticks, triggers, backfills and enqueues create.')

  const list = group
    .command('list')
    .description('Lists executions, newest first.')
    .option('--job <job>', 'only executions of this job')
    .addOption(choice('--state <state>', 'only executions in this state', executionStates))
    .option('--queue <name>', 'only executions in this queue')
  pageOptions(list, 20).action((options: ListOptions) =>
    withEvertick(cli, list, (session) => showList(session, options)),
  )
  examples(list, [
    ['executions list --job nightly-report'],
    ['executions list --state failed', 'the dead letters'],
    ['executions list --state waiting', 'what waits for a signal'],
  ])

  const show = group
    .command('show <id>')
    .description('Shows an execution: its cause, steps, attempts and errors, lease, input and result.')
    .action((id: string) => withEvertick(cli, show, (session) => showExecution(session, id)))
  examples(show, [['executions show 019e2b…']])

  const logs = group
    .command('logs <id>')
    .description('Prints what the handler logged.')
    .action((id: string) => withEvertick(cli, logs, (session) => showLogs(session, id)))
  examples(logs, [['executions logs 019e2b…']])

  addChanges(group, cli)
}

function addChanges(group: Command, cli: Cli): void {
  const cancel = group
    .command('cancel <id>')
    .description('Cancels an execution; a running one is asked to stop.')
    .action((id: string) =>
      withEvertick(cli, cancel, async ({ evertick, terminal, actor }) => {
        const cancelled = await evertick.executions.cancel(id, { actor })
        const asked = cancelled.state === 'running'
        terminal.report(cancelled, asked ? 'Asked it to stop: its signal was aborted.' : 'Cancelled.')
      }),
    )
  examples(cancel, [['executions cancel 019e2b…']])

  const retry = group
    .command('retry <id>')
    .description('Runs a finished execution again, as a new one with the same instant and idempotency key.')
    .option('--from-step <name>', 'keep what the steps before this one have done, and begin here')
    .action((id: string, options: { readonly fromStep?: string }) =>
      withEvertick(cli, retry, async ({ evertick, terminal, actor }) => {
        const execution = await evertick.executions.retry(id, { ...options, actor })
        terminal.report(execution, `Retrying "${plainText(execution.job)}" as a new execution:`, execution.id)
      }),
    )
  examples(retry, [
    ['executions retry 019e2b…'],
    ['executions retry 019e2b… --from-step charge', 'the steps before it are not done again'],
  ])

  const signal = group
    .command('signal <id> <name>')
    .argument('[payload]', 'JSON that the handler is given', jsonValue)
    .description('Answers a wait of an execution, also before it waits. A repeated --id is one signal.')
    .option('--id <id>', 'the same id is one signal, however often it is sent')
    .action((id: string, name: string, payload: unknown, options: { readonly id?: string }) =>
      withEvertick(cli, signal, async ({ evertick, terminal, actor }) => {
        const signalled = await evertick.signal(id, name, payload, { ...options, actor })
        const said = signalled.taken ? 'Signalled.' : 'This signal had been taken before: nothing changed.'
        terminal.report(signalled, said)
      }),
    )
  examples(signal, [
    [`executions signal 019e2b… approve`],
    [`executions signal 019e2b… approve '{ "ok": true }' --id order-7`],
  ])
}

async function showList({ evertick, terminal, times }: Session, options: ListOptions): Promise<void> {
  // An unknown job is an error, not an empty list.
  if (options.job !== undefined) await evertick.jobs.get(options.job)
  const page = await evertick.executions.list({ limit: 20, ...options })
  terminal.answer(page, (out) => {
    if (page.executions.length === 0 && out.tty) return out.write('There are no executions.')
    const columns: readonly Column[] = [
      'ID',
      { title: 'JOB', shrinks: true },
      { title: 'CAUSE', optional: true },
      out.tty ? `DUE (${times.timezone})` : 'DUE',
      { title: 'STATE', optional: true },
      { title: 'WHAT HAPPENED', shrinks: true },
    ]
    const rows = page.executions.map((execution) => [
      execution.id,
      plainText(execution.job),
      execution.cause,
      times.at(execution.scheduledFor),
      stateCell(out, execution.state),
      executionSentence(execution.state, execution, times, true),
    ])
    writeTable(out, columns, rows)
    sayMore(terminal, page.nextCursor)
  })
}

async function showLogs({ evertick, terminal, times }: Session, id: string): Promise<void> {
  const logs = await evertick.executions.logs(id)
  terminal.answer({ logs }, (out) => {
    if (logs.length === 0) return terminal.say('The execution logged nothing.')
    for (const { at, level, message } of logs) {
      out.write(
        `${out.paint('dim', times.at(at))}  ${out.paint(levelStyles[level], level.padEnd(5))}  ${plainText(message)}`,
      )
    }
  })
}
