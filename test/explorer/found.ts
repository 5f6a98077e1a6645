/** What the explorer has found, and is mended: the promise that was broken, and the shortest interleaving that showed it. */
export const found: Readonly<Record<string, string>> = {
  'an acknowledged enqueue is a row, also where its job is just being made':
    'work: enqueue to a new job | create @ A1 B8',
  'a cancel stands where its execution is just being given back': 'reserve: release | cancel two @ A1 B2',
  'a cancel stands where its execution is to be tried again': 'work: cancel running | try again @ A1 B2',
  'a cancel stands where the lease is just being taken back': 'work: cancel running | expire @ A1 B1',
  'a cancel of what has just ended is refused': 'work: cancel running | complete @ A1 B2',
  'of two cancels one is refused': 'work: cancel ready | cancel ready @ A1 B2',
  'the cancel of a job ends what is to be tried again': 'work: cancel | try again @ A1 B2',
  'the cancel of a job ends what is just being given back': 'reserve: cancel | release @ A1 B1',
  'the cancel of a job reaches a run that was just begun by hand': 'work: cancel | begin by hand @ A1 B1',
  'the cancel of a job reaches a run that is just being enqueued into a slot':
    'work: cancel | enqueue into a slot @ A10 B2',
  'of one signal that is sent twice, the second hears that it was taken':
    'steps: signal again | signal again @ A3 B3',
  'a signal by key is for whoever has the key by then': 'steps: signal by key | complete @ A3 B9',
  'the rescuer does not pass over what has just started': 'reserve: start | expire @ B1 A1',
  'a node that registers anew is not cleared away': 'reserve: touch node | register node @ A1 B1',
  'a node goes with its handlers, or stays with them': 'reserve: remove node | register node @ B1 A1',
}
