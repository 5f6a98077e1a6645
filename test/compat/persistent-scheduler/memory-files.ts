/** A disk in memory, for histories of many lives: no flush to wait for. */
import type { Files } from '../../../src/compat/persistent-scheduler/disk-files.ts'

export function memoryFiles(): Files {
  const texts = new Map<string, string>()
  const move = (from: string, to: string) => {
    const text = texts.get(from)
    if (text !== undefined) texts.set(to, text)
  }
  return {
    refuseOther: async () => {},
    read: async (path) => texts.get(path) ?? null,
    write: async (path, text) => void texts.set(path, text),
    create: async (path, text) => !texts.has(path) && texts.set(path, text).has(path),
    keep: async (path, as) => move(path, as),
    rename: async (from, to) => {
      move(from, to)
      texts.delete(from)
    },
    remove: async (path) => void texts.delete(path),
    syncFolder: async () => {},
    makeFolder: async () => {},
    touchedAt: async (path) => (texts.has(path) ? 0 : null),
    touch: async () => {},
  }
}
