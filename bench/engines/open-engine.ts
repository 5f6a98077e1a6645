/** From a name to an engine: each is loaded, and its server started, when its turn comes, and stands in nobody's way before. */
import { isInstalled, services } from '../../test/services/binaries.ts'
import { installMissing } from '../../test/services/install.ts'
import type { Engine, EngineName } from './engine.ts'

export async function openEngine(name: EngineName): Promise<Engine> {
  switch (name) {
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqlite()
    case 'postgres':
      return await (await import('./postgres.ts')).openPostgres()
    case 'mysql':
      return await (await import('./mysql.ts')).openMysql()
  }
}

/** As `npm test` does it: on Debian, as root. Elsewhere `missingFor` then says what to do. */
export async function installFor(engines: readonly EngineName[], say: (line: string) => void): Promise<void> {
  await installMissing(
    engines.filter((name) => name !== 'sqlite'),
    say,
  )
}

/** Why this engine cannot be measured here; null where it can. */
export function missingFor(name: EngineName): string | null {
  if (name === 'sqlite' || isInstalled(name)) return null
  const { label, debianPackage } = services[name]
  return `${label} is not on this machine (Debian and Ubuntu: apt-get install ${debianPackage})`
}
