/** `evertick queues`: list, pause and resume. */

import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { actorText } from '../../output/actor-text.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

export function addQueues(program: Command, cli: Cli): void {
  const group = program
    .command('queues')
    .alias('queue')
    .summary('list, pause and resume queues')
    .description('Manages queues: named lines of executions.')

  const list = group
    .command('list')
    .description('Lists the queues and what is waiting in them.')
    .action(() => withEvertick(cli, list, showQueues))
  examples(list, [['queues list']])

  const pause = group
    .command('pause <name>')
    .description('Pauses a queue: nothing in it starts until it is resumed; running executions continue.')
    .option('--reason <text>', 'why; shown with the queue')
    .action((name: string, options: { reason?: string }) =>
      withEvertick(cli, pause, async ({ evertick, terminal, actor }) => {
        await evertick.queues.pause(name, { ...options, actor })
        terminal.report({ queue: name, paused: true }, `Paused the queue "${plainText(name)}".`)
      }),
    )
  examples(pause, [['queues pause mail --reason "provider is down"']])

  const resume = group
    .command('resume <name>')
    .description('Resumes a queue: its executions can start again.')
    .action((name: string) =>
      withEvertick(cli, resume, async ({ evertick, terminal, actor }) => {
        await evertick.queues.resume(name, { actor })
        terminal.report({ queue: name, paused: false }, `Resumed the queue "${plainText(name)}".`)
      }),
    )
  examples(resume, [['queues resume mail']])
}

async function showQueues({ evertick, terminal, times }: Session): Promise<void> {
  const queues = await evertick.queues.list()
  terminal.answer({ queues }, (out) => {
    if (queues.length === 0 && out.tty)
      return out.write('There are no queues yet; they appear with the first jobs.')
    const right = { align: 'right' } as const
    const columns: readonly Column[] = [
      'QUEUE',
      { title: 'READY', ...right },
      { title: 'RUNNING', ...right },
      { title: 'WAITING', ...right },
      { title: 'RESTING', ...right },
      { title: 'STATE', shrinks: true },
    ]
    const rows = queues.map(({ name, pausedAt, pausedBy, pausedReason, ...queue }) => {
      const reason = pausedReason === null ? '' : `: ${plainText(pausedReason)}`
      const paused = `‖ paused ${times.both(pausedAt)} by ${actorText(pausedBy)}${reason}`
      const state = pausedAt === null ? out.paint('ran', 'open') : out.paint('paused', paused)
      const { pending, running, blocked, sleeping, waiting } = queue
      return [plainText(name), ...[pending, running, blocked, sleeping + waiting].map(String), state]
    })
    writeTable(out, columns, rows)
  })
}
