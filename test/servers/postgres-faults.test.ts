import { inject } from 'vitest'
import { createPostgres } from '../services/databases.ts'
import { startPostgres } from '../services/postgres.ts'
import { describeDeadSockets } from '../store/dead-sockets.ts'
import { describeServerFaults } from '../store/server-faults.ts'

const shared = inject('postgresUrl')

describeServerFaults('postgres', startPostgres, { skip: shared === null })
describeDeadSockets('postgres', () => createPostgres(shared ?? ''), { skip: shared === null })
