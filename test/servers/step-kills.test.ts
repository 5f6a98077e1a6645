import { inject } from 'vitest'
import { describeStepKills, type StepSite } from '../rig/step-kills.ts'
import { mysqlFile } from '../store/mysql-store.ts'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'

const rounds = Number(process.env['EVERTICK_STEP_KILLS'] ?? 1)
const [postgresUrl, mysqlUrl] = [inject('postgresUrl'), inject('mysqlUrl')]

async function siteOf(file: Pick<PostgresFile, 'open' | 'close' | 'nodeUrl'>): Promise<StepSite> {
  const bench = await file.open()
  return {
    nodeUrl: file.nodeUrl,
    store: bench.store,
    hasOneWriter: false,
    sql: bench.sql,
    async close() {
      await bench.close()
      await file.close()
    },
  }
}

const onPostgres = async () => await siteOf(await postgresFile(postgresUrl ?? ''))
const onMysql = async () => await siteOf(await mysqlFile(mysqlUrl ?? ''))
describeStepKills('PostgreSQL', rounds, onPostgres, { skip: postgresUrl === null })
describeStepKills('MariaDB', rounds, onMysql, { skip: mysqlUrl === null })
