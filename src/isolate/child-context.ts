/** `ctx` in the child: data as it came, and every method by message to the node that holds the execution. */
import { EvertickError } from '../core/error.ts'
import type { ExecutionLog, JobContext } from '../engine/worker/handler.ts'
import { errorFrom, printable } from '../engine/worker/outcome-signal.ts'
import {
  type CallMessage,
  type CrossingMethod,
  crossings,
  lentBy,
  type PlainContext,
  type ToNode,
} from './border.ts'
import type { AnyFunction, Calls } from './calls.ts'

export interface ContextParts {
  readonly run: number
  readonly calls: Calls
  readonly signal: AbortSignal
  readonly post: (message: ToNode) => void
}

const methods = Object.keys(crossings) as CrossingMethod[]

export function childContext(plain: PlainContext, { run, calls, signal, post }: ContextParts): JobContext {
  const write = (level: keyof ExecutionLog) => (message: string, details?: object) => {
    post({ kind: 'log', run, level, message: printable(message), details: plainDetails(details) })
  }
  const called = methods.map((name) => [name, (...given: never[]) => ask(calls, name, given)] as const)
  const { 'secrets.get': get, ...methodsOfItsOwn } = Object.fromEntries(called) as Omit<
    JobContext,
    keyof PlainContext | 'signal' | 'log' | 'secrets'
  > &
    Record<'secrets.get', JobContext['secrets']['get']>
  return {
    ...plain,
    signal,
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    secrets: { get },
    ...methodsOfItsOwn,
  }
}

async function ask(calls: Calls, name: CrossingMethod, given: readonly never[]): Promise<unknown> {
  return await calls.ask({ of: 'ctx', name }, crossings[name].args?.(...given) ?? given)
}

/** The node calls the function that was given with a call of ours. */
export async function callBack(
  calls: Calls,
  { to: { of: call }, args }: CallMessage,
  { log, signal }: Pick<JobContext, 'log' | 'signal'>,
): Promise<unknown> {
  const open = call === 'ctx' ? undefined : calls.open(call)
  if (call === 'ctx' || open?.given === undefined || open.given === null)
    throw new Error('The call that it belongs to has ended.')
  const crossing = crossings[open.to.name as CrossingMethod]
  const lends = lentBy(crossing, open.args)
  const own = (arg: unknown) =>
    typeof arg === 'object' && arg !== null && 'signal' in arg ? { ...arg, signal } : arg
  const handed = lends === undefined ? args.map(own) : [lent(calls, call, lends, crossing.keeps ?? {})]
  return JSON.parse(resultText(await open.given(...handed), log) ?? 'null')
}

function lent(
  calls: Calls,
  call: number,
  names: readonly string[],
  keeps: Readonly<Record<string, string>>,
): object {
  const ask = (name: string): [string, AnyFunction] => [
    name,
    async (...args) => await calls.ask({ of: call, name }, args),
  ]
  const handed = Object.fromEntries(names.map(ask))
  for (const [name, next] of Object.entries(keeps)) {
    Object.defineProperty(handed, name, {
      get() {
        const what = `${name} stays in the node: it does not cross into an isolated handler.`
        throw new EvertickError('invalid_option', what, { field: name, next })
      },
    })
  }
  return handed
}

/** A result that is not data does not undo the work: it is dropped, and the log says so. */
export function resultText(result: unknown, log: ExecutionLog): string | null {
  try {
    return JSON.stringify(result) ?? null
  } catch (error) {
    log.warn(`The result could not be stored: ${errorFrom(error).message}`)
    return null
  }
}

/** The log keeps details as JSON anyhow; what JSON cannot say, it leaves out. */
function plainDetails(details: object | undefined): object | undefined {
  try {
    return details === undefined ? undefined : (JSON.parse(JSON.stringify(details)) as object)
  } catch {
    return undefined
  }
}
