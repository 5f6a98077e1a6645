import { inject } from 'vitest'
import { startPostgres } from '../services/postgres.ts'
import { describeServerFaults } from '../store/server-faults.ts'

describeServerFaults('postgres', startPostgres, { skip: inject('postgresUrl') === null })
