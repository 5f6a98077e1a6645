import type { Answer } from '../../../../src/client/index.ts'

/** A job as the list shows it: with its last ticks and how long it takes. */
export type ListedJob = Answer<'GET /jobs'>['jobs'][number]
