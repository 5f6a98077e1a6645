/** What every worker can do without a function of the user's: call a URL, sync a source, wait for a check-in, deliver to webhooks, and run the commands that it is allowed. */

import { EvertickError } from '../../core/error.ts'
import {
  checkInKey,
  commandKey,
  type HandlerSpec,
  httpKey,
  sourceKey,
  webhookKey,
} from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { Handler, JobContext, RunningAttempt } from '../../engine/worker/handler.ts'
import { OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import { type AllowedCommand, allowedCommands } from '../../handlers/allowed-commands.ts'
import { runCommand } from '../../handlers/command.ts'
import { allowVariable, commandEnvironment, refusedVariable } from '../../handlers/command-environment.ts'
import { callHttp } from '../../handlers/http-call.ts'
import type { AppContext } from '../app-context.ts'
import { checkInHandler } from '../check-in/check-in-handler.ts'
import { sourceHandler } from '../source/source-handler.ts'
import { openedAddress, openedBody, openedValues } from '../vault/opened-values.ts'
import { type DeliveryParts, deliveryHandler } from '../webhook/deliver.ts'

export interface BuiltInParts extends DeliveryParts {
  readonly allowCommands: readonly string[]
  readonly allowCommandEnv: readonly string[]
}

/** Whether a worker so configured has it, once it has started. */
export function isBuiltIn(key: string, { allowCommands }: Pick<BuiltInParts, 'allowCommands'>): boolean {
  const always = [httpKey, sourceKey, checkInKey, webhookKey]
  return always.includes(key) || allowCommands.some((path) => commandKey(path) === key)
}

export function builtInHandlers(parts: BuiltInParts, app: AppContext): Handler[] {
  const commands = allowedCommands(parts.allowCommands).map((allowed) =>
    handlerOf(commandKey(allowed.path), (context, spec, attempt) =>
      command(context, spec, attempt, { allowed, parts }),
    ),
  )
  const calls = handlerOf(httpKey, (context, spec, attempt) => http(context, spec, attempt, parts))
  return [calls, sourceHandler(parts, app), checkInHandler(parts), deliveryHandler(parts), ...commands]
}

function handlerOf(
  name: string,
  run: (context: JobContext, spec: JobSpec, attempt: RunningAttempt) => Promise<unknown>,
): Handler {
  return { name, parse: (input) => input, run: (context, spec, attempt) => run(context, spec, attempt) }
}

async function http(
  context: JobContext,
  spec: JobSpec,
  attempt: RunningAttempt,
  parts: BuiltInParts,
): Promise<unknown> {
  const { handler } = spec
  if (handler.type !== 'http') throw claimedInError(handler)
  const headers = await openedValues(handler.headers, context.job, 'headers', parts)
  const body = await openedBody(handler.body, parts)
  const url = await openedAddress(handler.url, parts)
  attempt.hide([...headers.secrets, ...body.secrets, ...url.secrets])
  const outcome = await callHttp({
    ...handler,
    ...context,
    headers: headers.value,
    body: body.value,
    url: url.value,
    signal: context.signal,
    timeoutMs: spec.timeoutMs,
    retry: spec.retry,
    allowPrivateHosts: parts.allowPrivateHosts,
    now: () => parts.clock.now(),
    redact: (text, isCut) => attempt.redact(text, isCut),
  })
  return outcome.kind === 'done' ? outcome.result : new OutcomeSignal(outcome.kind, outcome)
}

async function command(
  context: JobContext,
  spec: JobSpec,
  attempt: RunningAttempt,
  { allowed, parts }: { readonly allowed: AllowedCommand; readonly parts: BuiltInParts },
): Promise<unknown> {
  const { clock, allowCommandEnv } = parts
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
  const own = await openedValues(handler.env, context.job, 'env', parts)
  attempt.hide(own.secrets)
  const { log, input: given } = context
  const input = given === null || given === undefined ? null : JSON.stringify(given)
  return await runCommand({
    allowed,
    args: handler.args,
    env: commandEnvironment(own.value, { ...context, input }),
    cwd: handler.cwd ?? '/',
    stdin: input,
    signal: context.signal,
    quota: spec.quota,
    measuredBy: (usage) => attempt.measuredBy(usage),
    timer: (ms, callback) => clock.timer(ms, callback),
    redact: (text, isCut) => attempt.redact(text, isCut),
    onLine: (stream, line) => (stream === 'stdout' ? log.info(line) : log.warn(line)),
  })
}

/** A worker claims by the key of a handler, which says its type. */
function claimedInError({ type }: HandlerSpec): Error {
  return new Error(`A handler of type ${type} was claimed by the key of another.`)
}
