/** Everybody who takes part, ours first. */
import { agenda } from './agenda.ts'
import { bullmq } from './bullmq.ts'
import { bullmqPostgres } from './bullmq-postgres.ts'
import type { Contender } from './contender.ts'
import { evertick } from './evertick.ts'
import { graphileWorker } from './graphile-worker.ts'
import { nodeResque } from './node-resque.ts'
import { pgBoss } from './pg-boss.ts'

export const contenders: readonly Contender[] = [
  ...evertick,
  ...graphileWorker,
  ...pgBoss,
  ...bullmq,
  ...bullmqPostgres,
  ...nodeResque,
  ...agenda,
]
