/** The leader log in the shapes that its users know: one row of `scheduler_leader_log` is one term of leadership. */

export interface LeaderTerm {
  id: number
  leader_instance: string
  start_time: Date
  /** Null while the leader leads, and after a crash. */
  stop_time: Date | null
  last_heartbeat: Date | null
  /** Whether this leader has handled what was missed before its term. */
  handled_missed_tasks: boolean
  created_at?: Date
  updated_at?: Date
}

export interface FindOptions {
  orderBy?: { column: string; order: 'asc' | 'desc' }[]
  limit?: number
}

/** Where terms are kept: `createLeaderLogModel`, or your own over knex, Sequelize or anything else. */
export interface SchedulerLeaderLogModel {
  insert(data: Partial<LeaderTerm>): Promise<LeaderTerm>
  update(criteria: Partial<LeaderTerm>, data: Partial<LeaderTerm>): Promise<void>
  findOne(criteria: Partial<LeaderTerm>): Promise<LeaderTerm | null>
  find(criteria: Partial<LeaderTerm>, options?: FindOptions): Promise<LeaderTerm[]>
}
