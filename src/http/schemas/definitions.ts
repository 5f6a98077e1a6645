/** Lists of jobs that somebody else keeps: what they mean here, and what is here as such a list. */
import { z } from 'zod'
import { errorKinds } from '../../core/error.ts'
import { keysOf } from '../../core/table-keys.ts'
import { job } from './job.ts'
import { instant, name, nextCursor, page } from './named.ts'

const names = z.array(z.string())
const writtenJob = z.looseObject({ name: z.string() })

export const applyRequest = name(
  'ApplyRequest',
  z.strictObject({
    name: z.string().min(1).max(100).optional().describe('Owns the jobs, as `file:<name>`'),
    jobs: z
      .array(z.unknown())
      .describe('Each as `NewJob`, without `runNow`; all are checked before any is written'),
    prune: z.boolean().optional(),
    adopt: z.boolean().optional(),
    dryRun: z.boolean().optional(),
  }),
)

export const applied = name(
  'Applied',
  z.object({
    manager: z.string(),
    dryRun: z.boolean(),
    created: names,
    updated: names,
    deleted: names,
    unchanged: names,
    overridden: names,
    missing: names,
    kept: names,
    changes: z.array(
      z.object({
        job: z.string(),
        becomes: z.enum(['created', 'updated', 'deleted', 'overridden', 'kept']),
        fields: z.array(
          z.object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }),
        ),
      }),
    ),
    refused: z.array(
      z.object({
        index: z.int(),
        job: z.string().nullable(),
        field: z.string().nullable(),
        code: z.enum(keysOf(errorKinds)),
        why: z.string(),
        next: z.string().nullable(),
      }),
    ),
    failed: z.array(z.object({ job: z.string(), why: z.string() })),
  }),
)

/** A name has no comma. */
export const exportQuery = z.strictObject({
  names: z
    .string()
    .max(10_000)
    .transform((text) => text.split(','))
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
  cursor: z.string().max(500).optional(),
})

export const exportedJobs = name(
  'ExportedJobs',
  z.object({
    jobs: z.array(writtenJob),
    leftOut: z.array(z.object({ job: z.string(), why: z.string() })),
    nextCursor,
  }),
)

export const sourcesQuery = z.strictObject(page)

export const sourceList = name(
  'SourceList',
  z.object({
    sources: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        url: z.string(),
        state: job.shape.state,
        health: job.shape.health,
        scheduleText: z.string().nullable(),
        nextRunAt: instant.nullable(),
        managedBy: z.string(),
        lastSync: z.object({ at: instant, summary: z.unknown() }).nullable(),
      }),
    ),
    nextCursor,
  }),
)
