/** The rules, each with what it means. docs/reliability.md lists the same; a test compares the two. */
export const rules = {
  // --- ticks
  'no tick is lost': 'A cursor never moves over a due tick without an account of it in the same transaction.',
  'each tick is accounted once': 'No tick gets a second account, and nothing that is no tick gets one.',
  'a cursor moves with its accounts': 'No account is written without the cursor that moves over it.',
  'an account never changes': 'A written account keeps its tick, its reason and its outcome.',
  'an account never vanishes':
    'What goes from the ledger stands in it again as a range, tick by tick, unless the ledger has passed it or the cursor went back over it.',
  'a range counts its ticks': 'The count of a range is the number of ticks in it.',
  'totals + ledger = all ticks': 'What the ledger has passed is still counted.',
  'retention only moves forward': 'The start of the ledger never goes back.',
  'retention holds sizes flat': 'From the second month of a soak on, no table that has a retention grows.',
  'the audit agrees': "The product's own proof finds nothing unaccounted and nothing doubled.",
  'a job knows its next tick': 'The instant that the scheduler waits for is the next nominal tick.',
  'a fixedDelay goes on': 'An active fixedDelay job has a tick to come, or one under way.',
  'a fixedDelay has one open tick': 'And never two.',
  'a change settles what is due':
    'Pause, edit, cancel and delete first account for what is due by then, under what held until then.',
  'a job is never lost': 'Only deleted jobs go.',
  // --- executions
  'states follow their table': 'Every change of state is one that the table of states has.',
  'final states stay final': 'Nothing changes in an execution that has ended.',
  'an end moves its row':
    'Where finished executions have their own table, each is in the one that its state says.',
  'nothing unfinished is deleted': 'Only what nobody has tried yet can be taken back.',
  'running begins with a claim': 'No other way leads to `running`; it raises the fence by one.',
  'a claim is a lease': 'It names its holder and its end.',
  'only a claim raises the fence': 'Nothing else touches it.',
  'one live lease per execution': 'Only its holder writes into a lease.',
  'a stale fence is refused': 'What was superseded ends, extends and starts nothing.',
  'a lease is left its time':
    'Nobody takes a lease before it has run out, by the clock of the one who takes it; but for a tick to come that has not begun, which an action on its job takes back, and the lead of a node whose lifeline is cut.',
  'a healthy worker keeps its lease':
    'A lease runs out only where its holder had trouble after its last renewal.',
  'nothing starts early': 'By the clock of its worker; nor does a mark of a reserve pass what is not due.',
  'nothing starts after its deadline': 'Also not from a reserve.',
  'attempts count at their start': 'No handler begins before its attempt is counted.',
  'an attempt starts once': 'No attempt is handed to two handlers.',
  'attempts stay within their limit': 'Never more than the execution was made with.',
  'at most once by onCrash: fail': 'After a crash such an execution is failed.',
  'effects happen exactly once':
    'What goes through `ctx.transaction` is there once if the execution completed, else never.',
  'effects commit with the completion': 'Both in one transaction.',
  'completed means done': 'Its handler has returned.',
  'one unfinished execution per unique key': 'For each job and key.',
  'what is acknowledged is written':
    'An id that was answered is a row, made by that call or standing for its unique key.',
  // --- steps, sleeps and waits
  'a finished step never runs again':
    'Once its memo is written, its function is not called any more; a retry of the execution takes the memo over.',
  'a memo comes before the next line':
    'What a handler is given for a step, a sleep or a wait is what its row says by then.',
  "a step's writes commit with its memo":
    'What a step writes in its transaction is there once, in the commit of its memo; and no memo is of what was never done.',
  'a sleep ends once':
    'Its end is stored by its first call, and kept; it rests until then, and is never over before.',
  'a signal is consumed once':
    'It answers one wait; and what decides a wait first, a signal or the timeout, stands.',
  'a signal wakes who waits for it': 'Also one that comes while the rest is being written.',
  'a rest gives its attempt back': 'However often it sleeps or waits, it has all its attempts.',
  'what has begun is not unstarted again':
    'Though its attempt was given back, it is neither superseded, nor too late to start, nor taken back.',
  // --- webhooks
  'what happened is told once':
    'The commit that ends an execution tells whoever listens, and one later commit makes one delivery of it for each.',
  // --- policies
  'overlap holds': 'Never more than `maxConcurrent` of a job are under way.',
  "only a tick's own execution costs a tick": 'None is skipped for a catch-up, a backfill or a trigger.',
  'nothing final without its settlement':
    'With the end of one in its lane, what may go next is released, in the same transaction.',
  'the buffer has its limit': '1 for `buffer_one`, 100 for `buffer_all`.',
  'maxMissedRuns holds': 'Never more catch-ups wait, over all outages.',
  'maxRuns holds': 'Never more runs by ticks.',
  'a paused job makes nothing': 'No tick after the pause fires, is claimed or begins.',
  'a cancelled job runs nothing': 'Nothing of it is claimed or begun.',
  'a paused queue hands out nothing': 'Nothing in it is claimed.',
  // --- leadership and locks
  'only the leader accounts': 'Ticks are accounted in the term that the store knows.',
  'terms grow': 'Every term has a new id.',
  'a healthy leader keeps its lead':
    'A lead is taken early only from a node that is dead, or had trouble since its last renewal: a lifeline that breaks by itself costs nothing.',
  'fences grow': 'A lock passes on with a larger fence.',
  'only its holder frees a lock': 'Or an operator who steps the leader down.',
  'only its holder extends a lock': 'And only its holder ends it early.',
  'only its token frees a lock': 'Also between two holders in one process.',
  'handled means handled':
    '`handled_missed_tasks` turns true when nothing from before the term is unaccounted.',
  // --- service
  'somebody leads': 'Soon after everything has healed.',
  'service returns by itself': 'Then no due tick waits any more.',
  'nothing waits for ever': 'Once ticks stop, all work comes to its end.',
  'a stop ends': 'Whatever its handlers do.',
  'a stop leaves nothing behind': 'No timer, connection or call.',
  'no busy loop': 'At most 40,000 events within one virtual second.',
  'no error of ours': 'Operators are told only what has a code.',
  'no error escapes': 'No rejection goes unheard.',
  'a history ends': 'Every seed does, in real time.',
  'the process survives': 'And takes nobody with it.',
} as const satisfies Record<string, string>

export type Rule = keyof typeof rules
