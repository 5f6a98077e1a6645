/** The public API of `evertick/bullmq`. */

export { type BullJobOptions, type BullJobResult, type BullQueue, bullJob } from './bull-job.ts'
