/** Reports of what was done to many jobs at once. */
import { z } from 'zod'
import { duration, name } from './named.ts'

export const converted = name(
  'Converted',
  z.object({
    converted: z.int(),
    intervals: z.array(z.object({ job: z.string(), cron: z.string(), every: duration })),
    manual: z.array(z.object({ job: z.string(), cron: z.string(), why: z.string() })),
  }),
)

export const exportedCrontab = name(
  'ExportedCrontab',
  z.object({
    format: z.enum(['user', 'system']),
    crontab: z.string(),
    exported: z.array(z.string()),
    leftOut: z.array(z.object({ job: z.string(), why: z.string() })),
  }),
)
