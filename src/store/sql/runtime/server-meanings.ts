/** The errors of a server, in our codes and words; each dialect says which of its numbers mean which. */
import type { Meaning } from './dialect.ts'

export const serverMeanings = {
  away: {
    code: 'database_unavailable',
    says: 'cannot be reached',
    next: 'Check that the server runs and that this host may connect; Evertick tries again by itself.',
  },
  unsafe: {
    code: 'database_unavailable',
    says: 'cannot be reached over TLS as its URL asks',
    next: 'Check `sslmode` and `sslrootcert` of the URL, and the certificate of the server.',
  },
  readOnly: {
    code: 'database_unavailable',
    says: 'is read-only: a replica, perhaps',
    next: 'Name the primary in the URL.',
  },
  noEntry: {
    code: 'database_missing',
    says: 'refuses this user',
    next: 'Check the user and password in the URL, and from which hosts the server accepts this user.',
  },
  noRight: {
    code: 'database_missing',
    says: 'does not give this user the rights it needs',
    next: 'Grant them: the page “Roles” of the operations guide has the SQL.',
  },
  noDatabase: {
    code: 'database_missing',
    says: 'does not exist on that server',
    next: 'Create it, then run `evertick migrate up`.',
  },
  noSchema: {
    code: 'schema_missing',
    says: 'lacks a table that Evertick needs',
    next: 'Run `evertick migrate up`.',
  },
  crowded: {
    code: 'database_busy',
    says: 'has no connection left',
    next: 'Lower `pool.max`, or raise max_connections.',
  },
  full: {
    code: 'database_full',
    says: 'cannot grow: the disk is full',
    next: 'Free some space; work goes on by itself.',
  },
  refusing: { code: 'database_busy', says: 'kept refusing a transaction', next: 'Try again.' },
  locked: {
    code: 'database_busy',
    says: 'kept a row locked',
    next: 'Find who holds a long transaction.',
  },
  gaveUp: {
    code: 'database_busy',
    says: 'cancelled a statement',
    next: 'Find who holds a long transaction.',
  },
} as const satisfies Record<string, Meaning>
