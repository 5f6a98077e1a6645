/** `evertick/client`: for programs and pages that have no database, but a server. */
export { type ErrorCode, type ErrorKind, EvertickError } from '../core/error.ts'
export type { Duration } from '../core/schedule/schedule.ts'
export type { CallInput, CallOptions, ClientOptions } from './call.ts'
export { type Client, createClient } from './client.ts'
export type {
  Answer,
  Body,
  Execution,
  ExecutionDetail,
  Job,
  LiveEvent,
  Params,
  Query,
  RouteName,
  Routes,
  Session,
} from './contract.ts'
export type { ClientEvent, EventsOptions } from './events.ts'
export type { BulkCallOptions } from './jobs.ts'
export { ProblemError } from './problem.ts'
export type { BulkProgress } from './progress.ts'
