/** Under which account a server runs. PostgreSQL, MariaDB and PgBouncer refuse to run as root. */
import { readFileSync } from 'node:fs'

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** The first of these accounts that exists, else nobody's; null where the tests are not root and stay who they are. */
export function serverAccount(names: readonly string[]): Account | null {
  if (process.getuid?.() !== 0) return null
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of [...names, 'nobody']) {
    const row = rows.find(([account]) => account === name)
    if (row !== undefined) return { uid: Number(row[2]), gid: Number(row[3]) }
  }
  throw new Error(`Root may not run this server, and none of ${names.join(', ')}, nobody is an account here.`)
}
