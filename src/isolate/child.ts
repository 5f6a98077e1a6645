/**
 * The first file of a thread or process that runs an isolated handler: loads the handler's module once, then does one run
 * after another, as its node says. It is started by start-thread.ts and start-process.ts, never imported.
 */
import { parentPort } from 'node:worker_threads'
import { EvertickError } from '../core/error.ts'
import type { ExecutionLog, JobContext } from '../engine/worker/handler.ts'
import { errorFrom, OutcomeSignal } from '../engine/worker/outcome-signal.ts'
import { errorOf, type PlainContext, type ToChild, type ToNode } from './border.ts'
import { Calls } from './calls.ts'
import { callBack, childContext, resultText } from './child-context.ts'
import { resolveOwnPackage } from './own-package.ts'
import { ownThreadUsage } from './thread-usage.ts'

type HandlerFunction = (context: JobContext) => unknown

interface Current {
  readonly run: number
  readonly calls: Calls
  readonly stop: AbortController
  readonly log: ExecutionLog
}

const module = process.argv[2] ?? ''
let current: Current | null = null

resolveOwnPackage()
const post = listen()
const loading = load()
// Whoever runs it is told; until then nobody needs to know.
loading.catch(() => {})

function listen(): (message: ToNode) => void {
  const thread = parentPort
  if (thread !== null) {
    thread.on('message', (message: ToChild) => void hear(message))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    return (message) => thread.postMessage(message)
  }
  process.on('message', (message: ToChild) => void hear(message))
  // Its node is gone, so nobody can use it.
  process.on('disconnect', () => process.exit())
  // A service manager sends these to all of its processes; the node decides when a run ends.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('uncaughtExceptionMonitor', (error) => post({ kind: 'uncaught', error: errorFrom(error) }))
  return (message) => void process.send?.(message, undefined, undefined, () => {})
}

async function load(): Promise<HandlerFunction> {
  const loaded = (await import(module)) as Readonly<Record<string, unknown>>
  const { handler } = loaded
  if (typeof handler === 'function') return handler as HandlerFunction
  const has = Object.keys(loaded).join(', ')
  throw new EvertickError(
    'invalid_definition',
    `${module} exports no function named handler${has === '' ? '' : `, but ${has}`}. Write there: export async function handler(ctx) { … }.`,
  )
}

async function hear(message: ToChild): Promise<void> {
  if (message.kind === 'run') return await perform(message.run, message.context)
  if (current === null || message.run !== current.run) return
  const { calls, stop, log } = current
  switch (message.kind) {
    case 'abort':
      return stop.abort(errorOf(message.error))
    case 'call':
      return await calls.answer(message, async () => {
        try {
          return await callBack(calls, message, { log, signal: stop.signal })
        } finally {
          tellUsage(message.run)
        }
      })
    default:
      return calls.hear(message)
  }
}

async function perform(run: number, plain: PlainContext): Promise<void> {
  const calls = new Calls(run, post)
  const stop = new AbortController()
  const context = childContext(plain, { run, calls, signal: stop.signal, post })
  current = { run, calls, stop, log: context.log }
  const end = await ended(run, context)
  await Promise.all([process.stdout, process.stderr].map(flushed))
  tellUsage(run)
  post(end)
}

/** A process is looked at from outside. */
function tellUsage(run: number): void {
  if (parentPort !== null) post({ kind: 'used', run, ...ownThreadUsage() })
}

/** What a thread prints reaches its node by another way than its end, and must not come after it. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise<unknown>((resolve) => stream.write('', resolve))
}

async function ended(run: number, context: JobContext): Promise<ToNode> {
  let handler: HandlerFunction
  try {
    handler = await loading
  } catch (error) {
    return { kind: 'unfit', run, error: errorFrom(error), forGood: error instanceof EvertickError }
  }
  try {
    const returned = await handler(context)
    if (returned instanceof OutcomeSignal) return signalled(run, returned)
    return { kind: 'returned', run, result: resultText(returned, context.log) }
  } catch (thrown) {
    return thrown instanceof OutcomeSignal
      ? signalled(run, thrown)
      : { kind: 'threw', run, error: errorFrom(thrown) }
  }
}

function signalled(run: number, { message, outcome }: OutcomeSignal): ToNode {
  return { kind: 'signalled', run, message, outcome }
}
