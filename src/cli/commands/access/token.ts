/** `evertick token`: API tokens for programs. */
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
    .summary('API tokens for programs')
    .description('Manages API tokens for programs.')

  const create = group
    .command('create')
    .description('Creates a token. It is shown once and not stored.')
    .addOption(choice('--role <role>', 'what the token may do', accessRoles).makeOptionMandatory())
    .option('--name <name>', 'who uses the token', 'token')
    .option('--ttl <duration>', 'how long it is valid', '90d')
    .action(({ role, name, ttl }: { role: AccessRole; name: string; ttl: Duration }) =>
      withEvertick(cli, create, async (session) => {
        const { evertick, terminal, times, actor } = session
        const created = await evertick.tokens.createToken({ role, name, ttl, actor })
        const expires = times.both(created.expiresAt)
        terminal.report(
          created,
          `A token for the role ${role}. It expires ${expires}. Its id is ${created.id}.`,
          created.token,
        )
      }),
    )
  examples(create, [
    ['token create --role operator --name deploy --ttl 30d'],
    ['token create --role viewer --json'],
  ])

  const list = group
    .command('list')
    .description('Lists the tokens that have not expired.')
    .action(() =>
      withEvertick(cli, list, async (session) => {
        const { evertick, terminal, times } = session
        const tokens = await evertick.tokens.listTokens()
        terminal.answer({ tokens }, (out) => {
          if (tokens.length === 0 && out.tty) return out.write('There are no tokens.')
          const columns = ['ID', 'NAME', 'ROLE', 'EXPIRES', 'STATE']
          const rows = tokens.map(({ id, name, role, expiresAt, revokedAt }) => [
            id,
            plainText(name),
            role,
            times.both(expiresAt),
            revokedAt === null ? 'valid' : 'revoked',
          ])
          writeTable(out, columns, rows)
        })
      }),
    )
  examples(list, [['token list']])

  const revoke = group
    .command('revoke <id>')
    .description('Revokes a token; within a second, every node refuses it.')
    .action((id: string) =>
      withEvertick(cli, revoke, async (session) => {
        const { evertick, terminal, actor } = session
        await evertick.tokens.revoke(id, { actor })
        terminal.report({ revoked: id }, `Revoked ${plainText(id)}.`)
      }),
    )
  examples(revoke, [['token revoke 0199…']])
}
