/** What each peer keeps, and does not, in the configurations that are measured: a figure without it would mislead. */
export const kept: readonly (readonly [who: string, what: string])[] = [
  [
    'Evertick',
    'keeps every execution with its attempts, fences each end, and is audited after every run of the bench. ' +
      'An enqueue or an end is acknowledged once it is on disk. On SQLite `synchronous` reads NORMAL because the log is ' +
      'synced [on a thread](decisions/0009-sync-on-a-thread.md) before that.',
  ],
  [
    'graphile-worker',
    'deletes a job when it is done: no history. Its batched completions are written a moment later.',
  ],
  [
    'pg-boss',
    'keeps finished jobs for seven days. A batch is one call of the handler and ends as one, so that an error fails ' +
      'all of it unless the handler says otherwise.',
  ],
  [
    'BullMQ on Redis',
    "keeps finished jobs, except with `removeOnComplete`. With Redis's own defaults nothing is on disk when it answers; " +
      'with `fsync always` it is, as with a commit.',
  ],
  ['BullMQ on PostgreSQL', 'keeps finished jobs.'],
  ['node-resque', 'keeps counts, no jobs; what Redis has not written is lost with it.'],
  ['Agenda', 'keeps one row for each job with its last run, or none with `removeOnComplete`.'],
  [
    'croner, node-cron, node-schedule',
    'keep nothing: they are timers in a process, and what is due while it is down is lost.',
  ],
]
