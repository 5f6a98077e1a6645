/** `evertick locks`: the named locks of `evertick.locks.acquire`. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'

export function addLocks(program: Command, cli: Cli): void {
  const group = program
    .command('locks')
    .summary('named locks, and who holds them')
    .description('Manages named locks.')

  const list = group
    .command('list')
    .description('Lists the locks that are held.')
    .action(() =>
      withEvertick(cli, list, async ({ evertick, terminal, times }) => {
        const locks = await evertick.locks.list()
        terminal.answer({ locks }, (out) => {
          if (locks.length === 0 && out.tty) return out.write('No lock is held.')
          const columns = ['LOCK', 'HELD BY', 'UNTIL', 'FENCE']
          const rows = locks.map(({ name, holder, expiresAt, fence }) => [
            plainText(name),
            plainText(holder),
            times.both(expiresAt),
            String(fence),
          ])
          writeTable(out, columns, rows)
        })
      }),
    )
  examples(list, [['locks list']])

  const release = group
    .command('release <name>')
    .description('Releases a lock, whoever holds it. The fence keeps the old holder from doing harm.')
    .action((name: string) =>
      withEvertick(cli, release, async ({ evertick, terminal }) => {
        await evertick.locks.release(name)
        terminal.report({ released: name }, `Released "${plainText(name)}".`)
      }),
    )
  examples(release, [['locks release nightly-import']])
}
