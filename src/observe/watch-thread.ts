/**
 * The thread of the watchdog. Where no beat comes for too long, it stops the main thread for a few milliseconds as a
 * debugger does, looks for a `ctx` on its stack, and has the warning written there. Started by watchdog.ts, never imported.
 */
import { type Debugger, type Runtime, Session } from 'node:inspector/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Watched } from './watchdog.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- watchdog.ts starts it with just this
const { beats, blockedMs, key } = workerData as Watched
const awakeMs = 1_000
/** A wait for beats does not keep a thread alive; a listener does. */
parentPort?.on('message', () => {})

for (;;) {
  const seen = Atomics.load(beats, 0)
  // 0: nothing runs, so nobody can block it.
  const missing = await changeOf(seen, seen === 0 ? undefined : blockedMs)
  // A process that was stopped has stopped this thread, too. Awake again, its loop beats at once.
  if (!missing || !(await changeOf(seen, awakeMs)) || Atomics.load(beats, 0) !== seen) continue
  await tellWhoBlocks()
  await changeOf(seen)
}

/** Whether the time has passed without one. */
async function changeOf(seen: number, ms?: number): Promise<boolean> {
  return (await Atomics.waitAsync(beats, 0, seen, ms).value) === 'timed-out'
}

async function tellWhoBlocks(): Promise<void> {
  const session = new Session()
  const files = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url))
  session.connectToMainThread()
  try {
    const paused = new Promise<Debugger.PausedEventDataType>((resolve) => {
      session.once('Debugger.paused', ({ params }) => resolve(params))
    })
    await session.post('Debugger.enable')
    await session.post('Debugger.pause')
    const { callFrames } = await paused
    const [top] = callFrames
    if (top === undefined) return
    const { scriptId, lineNumber } = top.location
    const at = `${top.functionName || 'a function'} (${files.get(scriptId)}:${lineNumber + 1})`
    const objectId = await contextOn(session, callFrames)
    const tell = `globalThis[Symbol.for(${JSON.stringify(key)})]`
    if (objectId === null) {
      await session.post('Runtime.evaluate', { expression: `${tell}?.(undefined, ${JSON.stringify(at)})` })
      return
    }
    const functionDeclaration = `function (at) { ${tell}?.(this, at) }`
    await session.post('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration,
      arguments: [{ value: at }],
    })
  } finally {
    // It goes on by this, whatever has failed before.
    session.disconnect()
  }
}

/** The innermost frame that knows a `ctx` is the handler's, or calls it. */
async function contextOn(session: Session, frames: readonly Debugger.CallFrame[]): Promise<string | null> {
  for (const { object } of frames.flatMap(({ scopeChain }) => scopeChain.filter(isOwnScope))) {
    if (object.objectId === undefined) continue
    const asked = { objectId: object.objectId, ownProperties: true }
    const answer: unknown = await session.post('Runtime.getProperties', asked)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's types give the overload that knows nothing
    const { result } = answer as Runtime.GetPropertiesReturnType
    const found = result.find(({ value }) => isContext(value))?.value?.objectId
    if (found !== undefined) return found
  }
  return null
}

function isOwnScope({ type }: Debugger.Scope): boolean {
  return type !== 'global' && type !== 'module' && type !== 'script'
}

function isContext(value: Runtime.RemoteObject | undefined): boolean {
  return value?.className === 'AttemptContext'
}
