import { inject } from 'vitest'
import { startMariadb } from '../services/mariadb.ts'
import { describeServerFaults } from '../store/server-faults.ts'

describeServerFaults('mysql', startMariadb, { skip: inject('mysqlUrl') === null })
