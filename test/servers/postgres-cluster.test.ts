import { describeCluster } from './cluster/describe-cluster.ts'
import { postgresCluster } from './cluster/engines.ts'

describeCluster(postgresCluster, { kills: Number(process.env.EVERTICK_KILLS ?? 1) })
