import type { Answer } from '../../../../src/client/index.ts'

/** A job in the list, with its last ticks and durations. */
export type ListedJob = Answer<'GET /jobs'>['jobs'][number]
