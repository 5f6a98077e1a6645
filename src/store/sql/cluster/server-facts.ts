/** What the server says of itself, and of the user who asks. Each engine has its own words; SQLite is no server. */
import type { ServerFacts, Store } from '../../store.ts'
import { number, text } from '../runtime/rows.ts'
import { row, type Script } from '../runtime/script.ts'

const postgresText = `SELECT current_setting('max_connections')::int AS max_connections,
    (SELECT sum(numbackends) FROM pg_stat_database) AS connections,
    concat_ws(',',
      CASE WHEN current_setting('fsync') = 'off' THEN 'fsync = off' END,
      CASE WHEN current_setting('full_page_writes') = 'off' THEN 'full_page_writes = off' END,
      CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'synchronous_commit = off' END) AS forgetful,
    concat_ws(',',
      (SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper),
      (SELECT 'owns the tables' FROM pg_class
       WHERE oid = to_regclass('@jobs') AND pg_get_userbyid(relowner) = current_user)) AS powers`

/** A user sees its own rights only, so that nobody else's are counted; those of a role that it takes on are not seen. */
const mysqlText = `SELECT @@max_connections AS max_connections,
    CASE WHEN @@innodb_flush_log_at_trx_commit = 1 THEN ''
      ELSE concat('innodb_flush_log_at_trx_commit = ', @@innodb_flush_log_at_trx_commit) END AS forgetful,
    concat_ws(',',
      (SELECT max('may administer the server') FROM information_schema.user_privileges
       WHERE grantee = me.name AND privilege_type = 'SUPER'),
      (SELECT max('may drop the tables') FROM information_schema.user_privileges
       WHERE grantee = me.name AND privilege_type = 'DROP'),
      (SELECT max('may drop the tables') FROM information_schema.schema_privileges
       WHERE grantee = me.name AND privilege_type = 'DROP' AND DATABASE() LIKE table_schema)) AS powers
  FROM (SELECT concat('''', replace(CURRENT_USER(), '@', '''@'''), '''') AS name) AS me`

/** Of all users: the list of processes shows a plain user its own. */
const mysqlConnectionsText = `SHOW GLOBAL STATUS LIKE 'Threads_connected'`

export function* serverFacts(dialect: Store['dialect']): Script<ServerFacts | null> {
  if (dialect === 'sqlite') return null
  const found = yield* row(dialect === 'postgres' ? postgresText : mysqlText)
  const status = dialect === 'mysql' ? yield* row(mysqlConnectionsText) : null
  const listOf = (said: string) => [...new Set(said.split(',').filter((part) => part !== ''))]
  return {
    maxConnections: number(found?.max_connections),
    connections: number(status === null ? found?.connections : status.Value),
    forgetful: listOf(text(found?.forgetful)),
    powers: listOf(text(found?.powers)),
  }
}
