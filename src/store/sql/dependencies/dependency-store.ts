import type { DependencyStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { closeJoins, purgeJoins } from './close-joins.ts'
import { listJoins, readDependencies, readGraph } from './read-dependencies.ts'

export function dependencyStore({ read, write, tellingIf }: Scripts): DependencyStore {
  return {
    closeJoins: (now, limit) =>
      tellingIf(
        write(() => closeJoins(now, limit)),
        ({ closed, placed }) => closed + placed > 0,
      ),
    readDependencies: (jobId) => read(() => readDependencies(jobId)),
    listJoins: (jobId, limit) => read(() => listJoins(jobId, limit)),
    readGraph: () => read(() => readGraph()),
    purgeJoins: (before, after) => write(() => purgeJoins(before, after)),
  }
}
