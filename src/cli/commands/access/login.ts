/** `evertick login`: a sign-in link that works once, within ten minutes. */
import type { Command } from 'commander'
import { apiConfig } from '../../../app/config/api-config.ts'
import { type AccessRole, accessRoles } from '../../../core/access/access-role.ts'
import { choice, examples } from '../../help.ts'
import { accessOf, actor, type Cli, settingsOf, timesOf, withDatabase } from '../../session.ts'

interface LoginOptions {
  readonly role: AccessRole
  readonly name?: string
  readonly at?: string
}

export function addLogin(program: Command, cli: Cli): void {
  const login = program
    .command('login')
    .summary('create a sign-in link')
    .description('Creates a sign-in link that works once, within ten minutes.')
    .addOption(choice('--role <role>', 'the role to sign in with', accessRoles).default('admin'))
    .option('--name <name>', 'who signs in with it, as others will see it (default: your user name)')
    .option('--at <url>', 'where the node listens (default: from EVERTICK_HOST and EVERTICK_PORT)')
    .action((options: LoginOptions) => showLink(cli, login, options))
  examples(login, [
    ['login'],
    ['login --name Ana --role operator'],
    ['login --role viewer --at https://jobs.example.com'],
  ])
}

async function showLink(cli: Cli, login: Command, { role, name, at }: LoginOptions): Promise<void> {
  const { terminal } = cli
  const settings = await settingsOf(cli, login)
  const { host, port, basePath } = apiConfig(settings.options.api)
  await withDatabase(cli, settings, { mayCreate: false }, async (evertick) => {
    const access = await accessOf(evertick, settings)
    const named = name === undefined ? {} : { name }
    const { code, expiresAt } = await access.createLink({ role, ...named, actor: actor() })
    const link = signInLink(at ?? `http://${host}:${port}${basePath}`, code)
    terminal.answer({ link, role, ...named, expiresAt }, (out) => out.write(link))
    terminal.say(`The link works once and expires ${timesOf(cli, settings).both(expiresAt)}.`)
  })
}

/** The code comes after the `#`: no browser sends that part, so no log has it. */
export function signInLink(url: string, code: string): string {
  return `${url.replace(/\/+$/, '')}/sign-in#${code}`
}
