/** What every worker can do without a function of the user's: call a URL, and run the commands that it is allowed. */

import { EvertickError } from '../../core/error.ts'
import { commandKey, type HandlerSpec, httpKey, isSealed, type Secretive } from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import { OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import { type AllowedCommand, allowedCommands } from '../../handlers/allowed-commands.ts'
import { runCommand } from '../../handlers/command.ts'
import { allowVariable, commandEnvironment, refusedVariable } from '../../handlers/command-environment.ts'
import { callHttp } from '../../handlers/http-call.ts'
import { withoutSecrets } from '../../handlers/secret-values.ts'
import { secretSlot } from './handler-options.ts'
import type { Secrets } from './secrets.ts'

export interface BuiltInParts {
  readonly clock: Clock
  readonly secrets: Secrets
  readonly allowCommands: readonly string[]
  readonly allowCommandEnv: readonly string[]
  readonly allowPrivateHosts: readonly string[]
}

/** Whether a worker so configured has it, once it has started. */
export function isBuiltIn(key: string, { allowCommands }: Pick<BuiltInParts, 'allowCommands'>): boolean {
  return key === httpKey || allowCommands.some((path) => commandKey(path) === key)
}

export function builtInHandlers(parts: BuiltInParts): Handler[] {
  const commands = allowedCommands(parts.allowCommands).map((allowed) =>
    handlerOf(commandKey(allowed.path), (context, spec) => command(context, spec, allowed, parts)),
  )
  return [handlerOf(httpKey, (context, spec) => http(context, spec, parts)), ...commands]
}

function handlerOf(name: string, run: (context: JobContext, spec: JobSpec) => Promise<unknown>): Handler {
  return { name, parse: (input) => input, run: (context, spec) => run(context, spec) }
}

async function http(context: JobContext, spec: JobSpec, parts: BuiltInParts): Promise<unknown> {
  const { handler } = spec
  if (handler.type !== 'http') throw claimedInError(handler)
  const headers = opened(handler.headers, context.job, 'headers', parts.secrets)
  const outcome = await callHttp({
    ...handler,
    ...context,
    headers: headers.values,
    signal: context.signal,
    timeoutMs: spec.timeoutMs,
    retry: spec.retry,
    allowPrivateHosts: parts.allowPrivateHosts,
    now: () => parts.clock.now(),
    redact: withoutSecrets(headers.secrets),
  })
  return outcome.kind === 'done' ? outcome.result : new OutcomeSignal(outcome.kind, outcome)
}

async function command(
  context: JobContext,
  spec: JobSpec,
  allowed: AllowedCommand,
  { clock, secrets, allowCommandEnv }: BuiltInParts,
): Promise<unknown> {
  const { handler } = spec
  if (handler.type !== 'command') throw claimedInError(handler)
  // Another node may have accepted it, or this one when it allowed more.
  const refused = refusedVariable(Object.keys(handler.env), allowCommandEnv)
  if (refused !== null) {
    throw new EvertickError('execution_failed', `This worker does not let a job set ${refused}.`, {
      field: `handler.env.${refused}`,
      next: allowVariable,
    })
  }
  const own = opened(handler.env, context.job, 'env', secrets)
  const redact = withoutSecrets(own.secrets)
  const { log, input: given } = context
  const input = given === null || given === undefined ? null : JSON.stringify(given)
  return await runCommand({
    allowed,
    args: handler.args,
    env: commandEnvironment(own.values, { ...context, input }),
    cwd: handler.cwd ?? '/',
    stdin: input,
    signal: context.signal,
    quota: spec.quota,
    timer: (ms, callback) => clock.timer(ms, callback),
    redact,
    onLine: (stream, line) => (stream === 'stdout' ? log.info(line) : log.warn(line)),
  })
}

/** A worker claims by the key of a handler, which says its type. */
function claimedInError({ type }: HandlerSpec): Error {
  return new Error(`A handler of type ${type} was claimed by the key of another.`)
}

function opened(
  values: Secretive,
  job: string,
  kind: 'headers' | 'env',
  secrets: Secrets,
): { values: Record<string, string>; secrets: string[] } {
  const plain = Object.entries(values).map(
    ([name, value]) =>
      [name, isSealed(value) ? secrets.open(value, secretSlot(job, kind, name)) : value] as const,
  )
  return {
    values: Object.fromEntries(plain),
    secrets: plain.flatMap(([name, value]) => (isSealed(values[name]) ? [value] : [])),
  }
}
