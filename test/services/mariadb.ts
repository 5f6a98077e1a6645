import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { requireProgram } from './binaries.ts'
import { longOptions } from './long-options.ts'
import { type Server, startServer } from './server.ts'

/** Run by the server before it listens, at every start. */
const accountSql = `CREATE DATABASE IF NOT EXISTS evertick;
CREATE USER IF NOT EXISTS evertick@127.0.0.1 IDENTIFIED BY 'evertick';
GRANT ALL PRIVILEGES ON *.* TO evertick@127.0.0.1 WITH GRANT OPTION;
`

/** For the server, and for the one that the installer starts to fill the data folder. */
const hasty = [
  // The operating system outlives every crash that a test makes; only a power cut needs the disk to be waited for.
  // Without the wait the data folder is there after 1 s instead of 4.
  '--debug-no-sync',
  ...longOptions({
    'innodb-flush-method': 'nosync',
    'innodb-flush-log-at-trx-commit': 2,
    'innodb-buffer-pool-size': '64M',
    'innodb-log-file-size': '16M',
    // Locked memory is scarce in containers, and several servers at once run out of it.
    'innodb-use-native-aio': 0,
  }),
]

/**
 * The user `evertick`, whose password is `evertick`, may do everything; a database of that name is there too. `durable`:
 * with the server's own defaults, for benches.
 */
export function startMariadb({ durable = false } = {}): Promise<Server> {
  const storage = durable ? [] : hasty
  const server = requireProgram('mysql', 'mariadbd')
  const installer = requireProgram('mysql', 'mariadb-install-db')
  return startServer({
    name: 'mariadb',
    accounts: ['mysql'],
    stopSignal: 'SIGTERM',
    crashSignal: 'SIGKILL',
    prepare: (folder) => ({
      program: installer,
      args: [
        '--no-defaults',
        '--skip-test-db',
        ...storage,
        ...longOptions({ datadir: join(folder, 'data'), 'auth-root-authentication-method': 'normal' }),
      ],
    }),
    command(folder, port) {
      const initFile = join(folder, 'account.sql')
      writeFileSync(initFile, accountSql)
      return {
        program: server,
        args: [
          '--no-defaults',
          '--skip-name-resolve',
          ...storage,
          ...longOptions({
            datadir: join(folder, 'data'),
            'init-file': initFile,
            'bind-address': '127.0.0.1',
            port,
            socket: join(folder, 'mariadb.sock'),
            // A server that starts deletes what it takes for an earlier one's tables here, and they may be a neighbour's.
            tmpdir: folder,
            'pid-file': join(folder, 'mariadb.pid'),
            'max-connections': 200,
            // As packaged by Debian and as in the official image; the program's own default was latin1 for long.
            'character-set-server': 'utf8mb4',
          }),
        ],
      }
    },
    url: (port) => `mysql://evertick:evertick@127.0.0.1:${port}/evertick`,
    ping: pingMysql,
  })
}

export async function pingMysql(url: string): Promise<void> {
  const connection = await createConnection({ uri: url, connectTimeout: 5_000 })
  await connection.ping()
  await connection.end()
}
