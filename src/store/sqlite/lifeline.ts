/** Lifelines of SQLite: a locked file beside the database, which nothing is ever written to. */
import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import type { Host } from '../host.ts'
import { keepLifelines, type Lifelines, noLifelines } from '../lifeline.ts'
import { lockedFile } from './connection.ts'
import { troubleOf } from './dialect.ts'
import type { SqlitePlace } from './place.ts'

export function sqliteLifelines({ path, isInMemory }: SqlitePlace, host: Host): Lifelines {
  // It ends with its process, and so does whoever would look.
  if (isInMemory) return noLifelines
  // Where SQLite keeps its log: whoever shares the database finds it.
  const file = () => `${realpathSync(path)}-leader`
  return keepLifelines(
    {
      async tie() {
        const lock = lockedFile(file(), 'alone')
        return { name: basename(file()), cut: async () => lock.close() }
      },
      async check() {
        try {
          lockedFile(file(), 'shared').close()
          return 'free'
        } catch (error) {
          if (troubleOf(error) === 'conflict') return 'held'
          throw error
        }
      },
    },
    host,
  )
}
