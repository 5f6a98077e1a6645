/** Limits that the cluster shares, as the API shows and takes them. */
import { z } from 'zod'
import { limitShape } from '../../app/job/item-shapes.ts'
import { limitName } from '../../core/job/limit-form.ts'
import { duration, instant, name } from './named.ts'

const numbers = limitShape(duration)
const nameOfLimit = z.string().regex(limitName, 'is not a valid name of a limit')

export const limit = name(
  'Limit',
  z.object({
    ...numbers.shape,
    name: z.string(),
    changedAt: instant.nullable().describe('Null where jobs name it, and nobody has set it'),
    changedBy: z.string().nullable(),
    running: z.int(),
    waiting: z.int(),
    jobs: z.array(z.string()).describe('The jobs that name it'),
  }),
)

export const limits = name('Limits', z.object({ limits: z.array(limit) }))

export const newLimit = name(
  'NewLimit',
  numbers.extend({ name: nameOfLimit }).describe('With `concurrency`, `rate` or both'),
)

export const limitReference = z.strictObject({ name: nameOfLimit })
