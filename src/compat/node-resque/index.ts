/** The public API of `evertick/node-resque`. */

export {
  type PushOnce,
  pushOnce,
  type ResqueConnection,
} from './push-once.ts'
export { type ResqueJobOptions, type ResqueJobResult, resqueJob } from './resque-job.ts'
