/** `evertick flows`: executions that wait for one another, as a whole. */
import type { Command } from 'commander'
import { type FlowState, flowStates } from '../../../core/flow/flow.ts'
import { choice, examples, pageOptions, sayMore } from '../../help.ts'
import { countsText } from '../../output/count-words.ts'
import { flowStateCell } from '../../output/flow-state.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { showFlow } from './show.ts'

interface ListOptions {
  readonly state?: FlowState
  readonly name?: string
  readonly limit?: number
  readonly cursor?: string
}

export function addFlows(program: Command, cli: Cli): void {
  const group = program
    .command('flows')
    .alias('flow')
    .summary('list, show, cancel and retry flows')
    .description('Manages flows: executions that wait for one another.')

  const list = group
    .command('list')
    .description('Lists flows, newest first.')
    .addOption(choice('--state <state>', 'only flows in this state', flowStates))
    .option('--name <name>', 'only flows of this name')
  pageOptions(list, 20).action((options: ListOptions) =>
    withEvertick(cli, list, (session) => showList(session, options)),
  )
  examples(list, [['flows list'], ['flows list --state failed']])

  const show = group
    .command('show <id>')
    .description('Shows a flow as a tree: each step below the first that it comes after.')
    .action((id: string) => withEvertick(cli, show, (session) => showFlow(session, id)))
  examples(show, [['flows show 019e2b…']])

  addChanges(group, cli)
}

function addChanges(group: Command, cli: Cli): void {
  const cancel = group
    .command('cancel <id>')
    .description('Cancels a flow: what waits ends, and what runs is asked to stop.')
    .action((id: string) =>
      withEvertick(cli, cancel, async ({ evertick, terminal, actor }) => {
        const flow = await evertick.flows.cancel(id, { actor })
        const asked = flow.state === 'running'
        terminal.report(flow, asked ? 'Cancelled, but for what runs: it was asked to stop.' : 'Cancelled.')
      }),
    )
  examples(cancel, [['flows cancel 019e2b…']])

  const retry = group
    .command('retry <id>')
    .description(
      'Runs a part of a flow again: what did not complete, or a step with all that comes after it.',
    )
    .option('--from <step>', 'begin with this step')
    .action((id: string, options: { readonly from?: string }) =>
      withEvertick(cli, retry, async ({ evertick, terminal, actor }) => {
        const flow = await evertick.flows.retry(id, { ...options, actor })
        terminal.report(flow, 'Running again. Its steps, as they stand: `evertick flows show`', flow.id)
      }),
    )
  examples(retry, [
    ['flows retry 019e2b…'],
    ['flows retry 019e2b… --from parse', 'also where it has completed'],
  ])
}

async function showList({ evertick, terminal, times }: Session, options: ListOptions): Promise<void> {
  const page = await evertick.flows.list({ limit: 20, ...options })
  terminal.answer(page, (out) => {
    if (page.flows.length === 0 && out.tty) return out.write('There are no flows.')
    const columns: readonly Column[] = [
      'ID',
      { title: 'NAME', shrinks: true },
      'STATE',
      { title: 'STEPS', shrinks: true },
      out.tty ? `MADE (${times.timezone})` : 'MADE',
    ]
    const rows = page.flows.map((flow) => [
      flow.id,
      plainText(flow.name ?? ''),
      flowStateCell(out, flow.state),
      countsText(flow.counts),
      times.at(flow.createdAt),
    ])
    writeTable(out, columns, rows)
  })
  sayMore(terminal, page.nextCursor)
}
