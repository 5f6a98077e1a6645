import { inject } from 'vitest'
import { createMysql } from '../services/databases.ts'
import { startMariadb } from '../services/mariadb.ts'
import { describeDeadSockets } from '../store/dead-sockets.ts'
import { describeServerFaults } from '../store/server-faults.ts'

const shared = inject('mysqlUrl')

describeServerFaults('mysql', startMariadb, { skip: shared === null })
describeDeadSockets('mysql', () => createMysql(shared ?? ''), { skip: shared === null })
