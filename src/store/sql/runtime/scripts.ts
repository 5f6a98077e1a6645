/** What all nouns of the SQL store use: scripts, run by the engine's driver, and the hints that follow them. */
import type { HintTopic } from '../../hints.ts'
import type { HotScripts } from '../hot-scripts.ts'
import type { ReadOptions, SqlDriver, WriteOptions } from './driver.ts'
import type { Script, ScriptContext, Step } from './script.ts'

export interface Scripts {
  readonly driver: SqlDriver
  readonly hot: HotScripts
  readonly context: ScriptContext
  /** Says to other nodes at the commit of a caller's transaction that there is something to look at, where the engine can. */
  readonly tellWithin: ((topic: HintTopic) => Step) | null
  readonly read: <T>(script: () => Script<T>, options?: ReadOptions) => Promise<T>
  readonly write: <T>(script: () => Script<T>, options?: WriteOptions) => Promise<T>
  readonly writeAndTell: <T>(script: () => Script<T>, ...topics: readonly HintTopic[]) => Promise<T>
  /** Says to other nodes, after the commit, what they may want to look at now. */
  readonly telling: <T>(written: Promise<T>, ...topics: readonly HintTopic[]) => Promise<T>
  /** The same, where the result says so. */
  readonly tellingIf: <T>(written: Promise<T>, worthALook: (result: T) => boolean) => Promise<T>
}

/** No result of these leaves the node: a power cut may undo them together with everything that followed. */
export const unspoken = { durable: false } as const
/** Long reads: all statements see one moment. */
export const oneMoment = { snapshot: true } as const
/** These keep a lease alive: on a server they have a connection of their own. */
export const pulse = { durable: false, pulse: true } as const
