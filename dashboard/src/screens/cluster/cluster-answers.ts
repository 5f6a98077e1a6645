import type { Answer } from '../../../../src/client/index.ts'

export type Term = Answer<'GET /leader/terms'>['terms'][number]
export type ClusterNode = Answer<'GET /nodes'>['nodes'][number]
export type Queue = Answer<'GET /queues'>['queues'][number]
export type Lease = Answer<'GET /leases'>['active'][number]
export type Lock = Answer<'GET /locks'>['locks'][number]
