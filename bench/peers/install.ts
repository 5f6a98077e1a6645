/** The peers are installed here, when first asked for: the project's own `npm ci` brings none of them. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../scripts/run-command.ts'

const folder = import.meta.dirname
/** npm writes it last, so that an installation that was cut off counts as none. */
const installedLock = join(folder, 'node_modules', '.package-lock.json')
const lock = join(folder, 'package-lock.json')

export async function installPeers(say: (line: string) => void): Promise<void> {
  if (existsSync(installedLock) && statSync(installedLock).mtimeMs >= statSync(lock).mtimeMs) return
  say('installing the peers: npm ci in bench/peers')
  // `npm run -s` hands its silence on, and then nobody would know why it failed.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel', 'error']
  const { ok, text } = await runCommand('npm', args, { cwd: folder })
  if (!ok) throw new Error(`The peers could not be installed:\n${text}`)
}

/** What was really installed, not what was asked for. */
export function peerVersions(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const versions = Object.keys(dependencies).map((name) => {
    const found = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string
    }
    return [name, found.version] as const
  })
  return Object.fromEntries(versions)
}
