/** Jobs after jobs. */
import type { PlantedBug } from './planted-bug.ts'

export const dependencyBugs: readonly PlantedBug[] = [
  {
    name: 'only-a-completion-is-passed-on',
    says: 'Whoever comes after a job hears of its completions, but of no failure, cancel or refusal.',
    rules: ['an end makes what follows it'],
    patches: [
      {
        file: 'src/store/sql/dependencies/settle-dependents.ts',
        find: 'ended.filter(({ state }) => isFinal(state))',
        replace: `ended.filter(({ state }) => isFinal(state) && state === 'completed')`,
      },
    ],
  },
  {
    name: 'a-retry-is-a-root-of-its-own',
    says: 'A retry does not take over what the execution that it retries began with.',
    rules: ['a retry keeps its root'],
    patches: [
      {
        file: 'src/store/sql/executions/make-execution.ts',
        find: 'const rootId = execution.rootId ?? id',
        replace: 'const rootId = newId',
      },
    ],
  },
]
