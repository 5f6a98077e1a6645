/** Who leads, what only a leader may do, and locks. */
import type { PlantedBug } from './planted-bug.ts'

const leadership = 'src/store/sql/cluster/leadership.ts'
const scheduler = 'src/engine/scheduler.ts'

const closeGap =
  'if (this.#handledTerm !== term.id && due.jobs.length < scanLimit) await this.#closeGap(term)'
const account = 'const deferred = await this.#account(term, due.jobs)'

export const leaderBugs: readonly PlantedBug[] = [
  {
    name: 'handled-flag-first',
    says: 'A new leader writes handled_missed_tasks first, and then looks for what was missed.',
    rules: ['handled means handled'],
    patches: [
      { file: leadership, find: 'if (open !== null) return false', replace: 'void open' },
      { file: scheduler, find: closeGap, replace: '' },
      { file: scheduler, find: account, replace: `${closeGap}\n    ${account}` },
    ],
  },
  {
    name: 'catch-up-not-fenced',
    says: 'Ticks are accounted for whoever believes to lead, whatever the term.',
    rules: ['only the leader accounts'],
    patches: [
      {
        file: 'src/store/sql/ticks/account-ticks.ts',
        find: 'if ((yield* row(leadText, leader.holder, leader.termId)) === null) return batch.result(false, 0)',
        replace: '',
      },
      {
        file: 'src/store/sql/ticks/account-ticks.ts',
        find: 'if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null) throw new LeadLost()',
        replace: '',
      },
    ],
  },
  {
    name: 'takeover-does-not-wait',
    says: "A candidate takes the lead as soon as another's lease has ended by its own clock, without the slack.",
    rules: ['a lease is left its time'],
    patches: [
      {
        file: leadership,
        find: 'number(lock.expires_at) + leaseSlackMs > now',
        replace: 'number(lock.expires_at) > now',
      },
    ],
  },
  {
    name: 'early-takeover-not-fenced',
    says: 'A lead that is taken from a dead leader before its lease ends goes on under the fence of that leader.',
    rules: ['fences grow'],
    patches: [
      {
        file: leadership,
        find: '    termId,\n    startAt + leaseMs,',
        replace: '    isAbandoned ? number(lock.fence) : termId,\n    startAt + leaseMs,',
      },
    ],
  },
  {
    name: 'a-broken-lifeline-is-not-told',
    says: 'A leader that has lost only its lifeline says so with its next heartbeat, and not at once.',
    rules: ['a healthy leader keeps its lead'],
    patches: [
      {
        file: 'src/engine/elector.ts',
        find: 'before they take this node for dead.\n      this.#alarm.ring()',
        replace: '',
      },
    ],
  },
  {
    name: 'a-stop-ends-the-term-of-whoever-leads',
    says: "A node that stops in doubt whether it leads ends the current term, though it is another's.",
    rules: ['only its holder frees a lock'],
    patches: [
      {
        file: 'src/engine/elector.ts',
        find: 'if (leader?.holder === nodeId) await store.cluster.endTerm(leader.termId, nodeId, clock.now())',
        replace: 'if (leader) await store.cluster.endTerm(leader.termId, leader.holder, clock.now())',
      },
    ],
  },
  {
    name: 'release-without-token',
    says: "The release of a lock names the lock, but not the holder's token.",
    rules: ['only its holder extends a lock', 'only its holder frees a lock', 'only its token frees a lock'],
    patches: [
      {
        file: 'src/store/sql/cluster/locks.ts',
        find: `'AND token = ?'`,
        replace: `'AND ? IS NOT NULL'`,
      },
    ],
  },
]
