/** `evertick nodes`: the running processes. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { isSilent } from './liveness.ts'

export function addNodes(program: Command, cli: Cli): void {
  const command = program
    .command('nodes')
    .summary('which nodes are running')
    .description('Lists the nodes: the processes that run this database’s jobs.')
    .action(() =>
      withEvertick(cli, command, async ({ evertick, terminal, times }) => {
        const nodes = await evertick.nodes.list()
        terminal.answer({ nodes }, (out) => {
          if (nodes.length === 0 && out.tty)
            return out.write('No node is running. Start one with `evertick start`.')
          const columns: readonly Column[] = [
            'NODE',
            'ROLES',
            { title: 'QUEUES', shrinks: true },
            'VERSION',
            'STARTED',
            'LAST SEEN',
          ]
          const rows = nodes.map(({ id, roles, queues, version, startedAt, seenAt, leads }) => {
            const slots = Object.entries(queues).map(([name, concurrency]) => `${name}:${concurrency}`)
            return [
              plainText(id),
              `${roles.join(', ')}${leads ? ' (leader)' : ''}`,
              plainText(slots.join(', ')),
              version,
              times.both(startedAt),
              out.paint(isSilent({ seenAt }) ? 'late' : 'ran', times.relative(seenAt)),
            ]
          })
          writeTable(out, columns, rows)
        })
      }),
    )
  examples(command, [['nodes']])
}
