/** `evertick token`: keys to the API for programs. */
import type { Command } from 'commander'
import { type AccessRole, accessRoles } from '../../../core/access/access-role.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { choice, examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'

export function addToken(program: Command, cli: Cli): void {
  const group = program
    .command('token')
    .summary('keys to the API for programs')
    .description('Keys to the API for programs: made, listed and taken back.')

  const create = group
    .command('create')
    .description('Makes a token. It is shown once, and kept nowhere.')
    .addOption(choice('--role <role>', 'what it may do', accessRoles).makeOptionMandatory())
    .option('--name <name>', 'who uses it', 'token')
    .option('--ttl <duration>', 'how long it is good for', '90d')
    .action(({ role, name, ttl }: { role: AccessRole; name: string; ttl: Duration }) =>
      withEvertick(cli, create, async (session) => {
        const { evertick, terminal, times, actor } = session
        const made = await evertick.tokens.createToken({ role, name, ttl, actor })
        const ends = times.both(made.expiresAt)
        terminal.report(made, `For the role ${made.role}; it ends ${ends}. Its id is ${made.id}.`, made.token)
      }),
    )
  examples(create, [
    ['token create --role operator --name deploy --ttl 30d'],
    ['token create --role viewer --json'],
  ])

  const list = group
    .command('list')
    .description('Lists the tokens that have not ended.')
    .action(() =>
      withEvertick(cli, list, async (session) => {
        const { evertick, terminal, times } = session
        const tokens = await evertick.tokens.listTokens()
        terminal.answer({ tokens }, (out) => {
          if (tokens.length === 0 && out.tty) return out.write('There are no tokens.')
          const columns = [
            { title: 'ID' },
            { title: 'NAME' },
            { title: 'ROLE' },
            { title: 'UNTIL' },
            { title: 'STATE' },
          ]
          const rows = tokens.map(({ id, name, role, expiresAt, revokedAt }) => [
            id,
            plainText(name),
            role,
            times.both(expiresAt),
            revokedAt === null ? 'good' : 'taken back',
          ])
          writeTable(out, columns, rows)
        })
      }),
    )
  examples(list, [['token list']])

  const revoke = group
    .command('revoke <id>')
    .description('Takes a token back: within a second no node believes it any more.')
    .action((id: string) =>
      withEvertick(cli, revoke, async (session) => {
        const { evertick, terminal, actor } = session
        await evertick.tokens.revoke(id, { actor })
        terminal.report({ revoked: id }, `Taken back: ${plainText(id)}.`)
      }),
    )
  examples(revoke, [['token revoke 0199…']])
}
