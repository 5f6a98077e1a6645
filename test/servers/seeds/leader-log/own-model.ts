/** A model as the document's readers have it: their own table, made by the document's own SQL, over their own driver. */
import { type Connection, createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { inject, onTestFinished } from 'vitest'
import type { LeaderTerm, SchedulerLeaderLogModel } from '../../../../src/index.ts'
import { createMysql } from '../../../services/databases.ts'

type Found = Omit<LeaderTerm, 'handled_missed_tasks'> & { readonly handled_missed_tasks: number }

export async function ownModel(script: string): Promise<SchedulerLeaderLogModel> {
  const database = await createMysql(inject('mysqlUrl') ?? '')
  const client = await createConnection({ uri: database.url, timezone: 'Z', multipleStatements: true })
  onTestFinished(async () => {
    await client.end()
    await database.drop()
  })
  await client.query(script)
  return modelOver(client)
}

function modelOver(client: Connection): SchedulerLeaderLogModel {
  const model: SchedulerLeaderLogModel = {
    async insert(data) {
      const [{ insertId }] = await client.query<ResultSetHeader>('INSERT INTO scheduler_leader_log SET ?', [
        data,
      ])
      const inserted = await model.findOne({ id: insertId })
      if (inserted === null) throw new Error('The row is gone.')
      return inserted
    },
    async update(criteria, data) {
      const { id } = criteria
      await client.query('UPDATE scheduler_leader_log SET ? WHERE id = ?', [data, id])
    },
    async findOne(criteria) {
      const [first] = await model.find(criteria, { limit: 1 })
      return first ?? null
    },
    async find(criteria, { orderBy = [], limit = 1_000 } = {}) {
      const where = Object.entries(criteria)
      const conditions = where.map(() => '?? = ?').join(' AND ')
      const order = orderBy.map(({ column, order }) => `${client.escapeId(column)} ${order}`).join(', ')
      const [rows] = await client.query<(Found & RowDataPacket)[]>(
        `SELECT * FROM scheduler_leader_log ${conditions === '' ? '' : `WHERE ${conditions}`}
         ${order === '' ? '' : `ORDER BY ${order}`} LIMIT ?`,
        [...where.flat(), limit],
      )
      return rows.map((row) => ({ ...row, handled_missed_tasks: row.handled_missed_tasks === 1 }))
    },
  }
  return model
}
