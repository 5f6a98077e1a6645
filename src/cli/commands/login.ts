/** `evertick login`: a link to sign in with, once, within ten minutes. */
import type { Command } from 'commander'
import { apiConfig } from '../../app/api-config.ts'
import { type AccessRole, accessRoles } from '../../core/access/access-role.ts'
import { accessOf } from '../access.ts'
import { examples } from '../help.ts'
import { type Cli, withEvertick } from '../session.ts'
import { signInLink } from '../sign-in-link.ts'

export function addLogin(program: Command, cli: Cli): void {
  const login = program
    .command('login')
    .summary('a link to sign in with')
    .description('Makes a link to sign in with: once, within ten minutes.')
    .option('--role <role>', `what you may do: ${accessRoles.join(', ')}`, 'admin')
    .option('--at <url>', 'where the node listens (default: as EVERTICK_HOST and EVERTICK_PORT say)')
    .action(({ role, at }: { role: AccessRole; at?: string }) =>
      withEvertick(cli, login, async (session) => {
        const { terminal, times, actor, settings } = session
        const { host, port } = apiConfig(settings.options.api)
        const { code, expiresAt } = await (await accessOf(cli, session)).createLink({ role, actor })
        const link = signInLink(at ?? `http://${host}:${port}`, code)
        terminal.answer({ link, role, expiresAt }, (out) => out.write(link))
        if (!terminal.json) terminal.say(`Good once; it ends ${times.both(expiresAt)}.`)
      }),
    )
  examples(login, [['login'], ['login --role viewer --at https://jobs.example.com']])
}
