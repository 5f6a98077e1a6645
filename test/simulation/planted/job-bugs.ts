/** What people do to jobs: pause, resume, edit, cancel. */
import type { PlantedBug } from './planted-bug.ts'

const changes = 'src/store/sql/jobs/change-job.ts'

export const jobBugs: readonly PlantedBug[] = [
  {
    name: 'pause-not-checked-at-the-claim',
    says: 'A pause does not take back what was accounted ahead and nobody has claimed.',
    rules: ['a paused job makes nothing'],
    patches: [
      {
        file: changes,
        find: 'const before = yield* revokeAhead(current, now)',
        replace: `const before = change.kind === 'pause' ? current : yield* revokeAhead(current, now)`,
      },
    ],
  },
  {
    name: 'a-resume-forgets-the-pause',
    says: 'The cursor passes the ticks of a pause without a word of them.',
    rules: ['no tick is lost'],
    patches: [
      {
        file: 'src/store/sql/ticks/settle.ts',
        find: '    executions: [],\n    ranges,',
        replace: '    executions: [],\n    ranges: [],',
      },
    ],
  },
  {
    name: 'a-cancel-forgets-what-waits',
    says: 'The cancel of a job leaves what is blocked or waits for its retry.',
    rules: ['a cancelled job runs nothing'],
    patches: [
      {
        file: changes,
        find: `cancelWaiting('job_cancelled', now, 'job_id = ?', job.id)`,
        replace: `cancelWaiting('job_cancelled', now, "job_id = ? AND state = 'pending'", job.id)`,
      },
    ],
  },
  {
    name: 'fixed-delay-forgotten-by-the-rescuer',
    says: 'The end of a fixedDelay tick by the rescuer writes no next instant.',
    rules: ['a fixedDelay goes on'],
    patches: [
      {
        file: 'src/store/sql/work/expire-leases.ts',
        find: '=> endedFrom(lease, state, now))',
        replace: '=> ({ ...endedFrom(lease, state, now), tickAt: null }))',
      },
    ],
  },
  {
    name: 'max-runs-off-by-one',
    says: 'A job with maxRuns runs once more.',
    rules: ['maxRuns holds'],
    patches: [
      {
        file: 'src/core/tick/plan-ticks.ts',
        find: 'Math.max(0, job.spec.maxRuns - job.runs)',
        replace: 'Math.max(0, job.spec.maxRuns + 1 - job.runs)',
      },
    ],
  },
  {
    name: 'an-edit-does-not-settle',
    says: 'Ticks due by now and not yet accounted go over to the new schedule.',
    rules: ['a change settles what is due'],
    patches: [
      {
        file: changes,
        find: `if (job.state === 'active') settled = (yield* settleDue(job, { now }, context)).job`,
        replace: `if (job.state === 'active') settled = job`,
      },
    ],
  },
  {
    name: 'a-paused-queue-is-claimed-from',
    says: 'A claim does not ask whether its queue is paused.',
    rules: ['a paused queue hands out nothing'],
    patches: [
      {
        file: 'src/store/sqlite/claim.ts',
        find: 'if (paused !== null) return',
        replace: 'if (paused === undefined) return',
      },
    ],
  },
]
