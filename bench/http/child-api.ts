/** The API and its clients, each in a process of its own, as the measure sees them. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface ApiGiven {
  readonly database: string
  readonly secret: string
  /** One commit per request, on so many connections; null: as the product does it. */
  readonly lanes: number | null
}

export interface ApiSaid {
  readonly port: number
  readonly token: string
}

export interface Load extends ApiSaid {
  /** Connections that are kept, each with one request under way. */
  readonly clients: number
  readonly method: 'GET' | 'POST'
  /** Asked for in turn. */
  readonly paths: readonly string[]
  readonly body: string | null
  readonly warmUpMs: number
  readonly ms: number
}

export interface Loaded {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

function forked(script: string, given: ApiGiven | Load): ChildProcess {
  const options = {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as ['ignore', 'ignore', 'inherit', 'ipc'],
  }
  return fork(join(import.meta.dirname, script), [JSON.stringify(given)], options)
}

async function saidBy(child: ChildProcess): Promise<unknown> {
  const gone = once(child, 'exit').then(([code]: unknown[]) => {
    throw new Error(`A process of the measure ended with ${String(code)} before it had said anything.`)
  })
  const [said] = (await Promise.race([once(child, 'message'), gone])) as [unknown]
  // From now on its end is expected.
  gone.catch(() => {})
  return said
}

/** For as long as `work` lasts. */
export async function withApi<T>(given: ApiGiven, work: (api: ApiSaid) => Promise<T>): Promise<T> {
  const child = forked('api-process.ts', given)
  try {
    return await work((await saidBy(child)) as ApiSaid)
  } finally {
    child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  }
}

export interface DelayApi extends ApiSaid {
  /** Of the event loop, since it was asked last. */
  longestDelayMs(): Promise<number>
}

export async function withDelayApi<T>(given: ApiGiven, work: (api: DelayApi) => Promise<T>): Promise<T> {
  const child = forked('api-process.ts', given)
  const longestDelayMs = async () => {
    child.send('delay')
    return (await saidBy(child)) as number
  }
  try {
    return await work({ ...((await saidBy(child)) as ApiSaid), longestDelayMs })
  } finally {
    child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  }
}

export async function load(given: Load): Promise<Loaded> {
  return (await saidBy(forked('load-process.ts', given))) as Loaded
}
