/** Bugs in keys that stand for many events. */
import type { PlantedBug } from './planted-bug.ts'

export const keyBugs: readonly PlantedBug[] = [
  {
    name: 'an-event-joins-a-retry',
    says: 'An event is given to what waits for another try, which has begun with what it was given before.',
    rules: ['an event joins no run'],
    patches: [
      {
        file: 'src/store/sql/keys/held-executions.ts',
        find: `row.state === 'pending' &&
          number(row.attempt) === 0 &&
          number(row.tried) === 0 &&`,
        replace: '',
      },
      {
        file: 'src/store/sql/keys/held-executions.ts',
        find: `WHERE id = ? AND state = 'pending'`,
        replace: `WHERE id = ?`,
      },
    ],
  },
  {
    name: 'a-retry-outlives-a-newer-event',
    says: 'What has failed is tried again although a newer event of its key has followed it.',
    rules: ['one waiting per key'],
    patches: [
      {
        file: 'src/store/sql/work/settle-ties.ts',
        find: 'return yield* endFollowed(ended)',
        replace: 'return ended.length < 0 ? yield* endFollowed(ended) : []',
      },
    ],
  },
]
