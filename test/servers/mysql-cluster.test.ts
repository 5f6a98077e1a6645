import { describeCluster } from './cluster/describe-cluster.ts'
import { mysqlCluster } from './cluster/engines.ts'

describeCluster(mysqlCluster, { kills: Number(process.env.EVERTICK_KILLS ?? 1) })
