/** What is told to webhooks. */
import type { PlantedBug } from './planted-bug.ts'

export const noticeBugs: readonly PlantedBug[] = [
  {
    name: 'a-rescue-tells-nobody',
    says: 'Only the worker that ends an execution tells of it: what is ended by the leader, or by hand, is not told.',
    rules: ['what happened is told once'],
    patches: [
      {
        file: 'src/store/sql/work/make-final.ts',
        find: 'yield* tellEnded(ended, heard)',
        replace: 'if (heard !== undefined) yield* tellEnded(ended, heard)',
      },
    ],
  },
  {
    name: 'a-node-tells-before-it-has-asked-who-listens',
    says: 'A node begins to work while it still takes it that nobody listens.',
    rules: ['what happened is told once'],
    patches: [
      { file: 'src/engine/node.ts', find: 'await this.#audience.refresh()', replace: 'void this.#audience' },
    ],
  },
  {
    name: 'a-notice-goes-before-its-delivery',
    says: 'The outbox is emptied first, and the deliveries are written by a transaction of their own.',
    rules: ['what happened is told once'],
    patches: [
      {
        file: 'src/store/sql/notices/pass-notices.ts',
        find: 'yield* insertExecutions(deliveries)',
        replace: '',
      },
    ],
  },
]
