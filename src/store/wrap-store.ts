/** Wraps a store, so that every call can be counted, delayed, refused or recorded. */
import type { Connection, Nouns, Store } from './store.ts'

export const connectionVerbs = ['close', 'ping', 'changes', 'time', 'sync'] as const

/** Every verb has a name of its own, whatever its noun. */
export type Verbs = Nouns['work'] &
  Nouns['ticks'] &
  Nouns['jobs'] &
  Nouns['executions'] &
  Nouns['steps'] &
  Nouns['checkIns'] &
  Nouns['cluster'] &
  Nouns['alerts'] &
  Nouns['audit'] &
  Nouns['notices'] &
  Nouns['access'] &
  Nouns['vault'] &
  Nouns['backup'] &
  Nouns['compat'] &
  Pick<Connection, (typeof connectionVerbs)[number]>

export type Verb = keyof Verbs

export interface Call {
  readonly verb: Verb
  readonly args: unknown[]
  readonly run: () => Promise<unknown>
}

/** The same store; each call goes through `around`, which runs it or does not. Hints (`listen`, `hears`) and lifelines pass. */
export function wrapVerbs(store: Store, around: (call: Call) => Promise<unknown>): Store {
  const wrap = <T extends object>(verbs: T, names: readonly string[] = Object.keys(verbs)): T => {
    const wrapped = names.map((name) => {
      const inner = verbs[name as keyof T] as (...args: unknown[]) => Promise<unknown>
      const outer = (...args: unknown[]) => around({ verb: name as Verb, args, run: () => inner(...args) })
      return [name, outer] as const
    })
    return Object.assign({ ...verbs }, Object.fromEntries(wrapped))
  }
  return {
    ...wrap(store, connectionVerbs),
    work: wrap(store.work),
    ticks: wrap(store.ticks),
    jobs: wrap(store.jobs),
    executions: wrap(store.executions),
    steps: wrap(store.steps),
    checkIns: wrap(store.checkIns),
    cluster: wrap(store.cluster),
    alerts: wrap(store.alerts),
    audit: wrap(store.audit),
    notices: wrap(store.notices),
    access: wrap(store.access),
    vault: wrap(store.vault),
    backup: wrap(store.backup),
    compat: wrap(store.compat),
  }
}
