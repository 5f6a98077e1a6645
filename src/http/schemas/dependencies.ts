/** Jobs that come after others, as the API shows them. */
import { z } from 'zod'
import { joinStates } from '../../core/dependency/join.ts'
import { afterWords } from '../../core/job/after.ts'
import { jobStates } from '../../core/job/job-state.ts'
import { keysOf } from '../../core/table-keys.ts'
import { instant, name } from './named.ts'

const on = z.enum(keysOf(afterWords))
const relative = z.object({ job: z.string(), on, state: z.enum(jobStates).nullable() })

const join = name(
  'Join',
  z.object({
    state: z.enum(joinStates),
    sentence: z.string(),
    scheduledFor: instant,
    periodTo: instant.nullable(),
    rootId: z.string().nullable(),
    executionId: z.string().nullable(),
    parents: z.array(
      z.object({ job: z.string(), on, outcome: z.string().nullable(), executionId: z.string().nullable() }),
    ),
    openedAt: instant,
    closedAt: instant.nullable(),
  }),
)

export const jobDependencies = name(
  'JobDependencies',
  z.object({ parents: z.array(relative), children: z.array(relative), joins: z.array(join) }),
)

export const dependencyGraph = name(
  'DependencyGraph',
  z.object({ edges: z.array(z.object({ parent: z.string(), child: z.string(), on })) }),
)
