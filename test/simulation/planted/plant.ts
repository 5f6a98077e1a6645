/**
 * Plants a bug: from here on, this process loads the patched source of the files that it names. To be called before the
 * world is imported.
 */
import { registerHooks } from 'node:module'
import type { Patch, PlantedBug } from './planted-bug.ts'

const root = new URL('../../../', import.meta.url)

export interface Planting {
  /** Throws where a patch has not been applied: its file was not loaded after the planting, and the bug is not there. */
  assertGrown(): void
}

export type { Patch } from './planted-bug.ts'

export function plant({ name, patches }: PlantedBug): Planting {
  const waiting = patchSources(patches)
  return {
    assertGrown() {
      const [unread] = [...waiting.values()].flat()
      if (unread !== undefined)
        throw new Error(`The bug "${name}" is not planted: ${unread.file} was not loaded after it.`)
    },
  }
}

/** From here on, modules are loaded with these patches; returned are those that wait for their file. */
export function patchSources(patches: readonly Patch[]): ReadonlyMap<string, readonly Patch[]> {
  const waiting = new Map<string, Patch[]>()
  for (const patch of patches) {
    const url = new URL(patch.file, root).href
    waiting.set(url, [...(waiting.get(url) ?? []), patch])
  }
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const here = waiting.get(url)
      if (here === undefined) return loaded
      waiting.delete(url)
      return { ...loaded, source: here.reduce(patched, textOf(loaded.source)) }
    },
  })
  return waiting
}

/** A patch that fits nowhere, or twice, would plant nothing, or something else. */
export function patched(source: string, { file, find, replace }: Patch): string {
  const [before, after, ...more] = source.split(find)
  if (before === undefined || after === undefined || more.length > 0) {
    const times = source.split(find).length - 1
    throw new Error(`A patch of ${file} must fit exactly once, but fits ${times} times: ${find}`)
  }
  return `${before}${replace}${after}`
}

function textOf(source: unknown): string {
  if (typeof source === 'string') return source
  if (source instanceof Uint8Array) return Buffer.from(source).toString('utf8')
  throw new Error('The module loader gave no source to patch.')
}
