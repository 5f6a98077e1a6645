import { inject } from 'vitest'
import { describePayloads } from '../promises/payloads.ts'
import { createMysql, createPostgres } from '../services/databases.ts'

const [postgres, mysql] = [inject('postgresUrl'), inject('mysqlUrl')]
describePayloads('PostgreSQL', () => createPostgres(postgres ?? ''), { skip: postgres === null })
describePayloads('MariaDB', () => createMysql(mysql ?? ''), { skip: mysql === null })
