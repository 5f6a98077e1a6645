/** The raw limits of our databases: the shortest loop over the driver, beside those who keep their promises. */
import { type EngineName, engineNames } from '../../engines/engine.ts'
import type { Contender } from '../contender.ts'

export const rawLabels: Readonly<Record<EngineName, string>> = {
  sqlite: 'raw SQLite',
  postgres: 'raw PostgreSQL',
  mysql: 'raw MariaDB',
}

/** Of the engines on which ours takes part in this run. */
export function storesOfOurs(contenders: readonly Contender[]): EngineName[] {
  const ours = contenders.filter(({ library }) => library === 'evertick').map(({ store }) => store)
  return engineNames.filter((name) => ours.includes(name))
}
