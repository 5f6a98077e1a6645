/**
 * A command: one program, its arguments, no shell. It runs in a process group of its own, which is ended with it,
 * whatever it has started. What it writes comes line by line.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import type { ReadUsage } from '../core/attempt/usage.ts'
import { EvertickError } from '../core/error.ts'
import type { QuotaSpec } from '../core/job/options.ts'
import type { Redact } from '../core/job/secret-values.ts'
import { codeOf, messageOf } from '../core/unknown-value.ts'
import { type AllowedCommand, recheck } from './allowed-commands.ts'
import { OutputLines, OutputTail } from './output-lines.ts'
import { signalGroup, unwatchGroup, watchGroup } from './process-group.ts'
import { refuseUnwatched } from './quota.ts'
import { RunWatch } from './run-watch.ts'
import { killStrays, markVariable, signalStrays } from './strays.ts'

export interface CommandRun {
  readonly allowed: AllowedCommand
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Written to its standard input; null: it has none. */
  readonly stdin: string | null
  readonly signal: AbortSignal
  readonly quota: QuotaSpec
  readonly measuredBy: (usage: ReadUsage) => void
  readonly timer: (ms: number, callback: () => void) => () => void
  /** Takes the job's secrets out of what is kept. */
  readonly redact: Redact
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void
}

export interface CommandResult {
  readonly exitCode: number
  /** Its last lines. */
  readonly output: string
}

/** The time between SIGTERM and SIGKILL. */
const graceMs = 5_000
/** Where another worker may begin it a second after: it must have ended here by then. */
const shortGraceMs = 500

export async function runCommand(run: CommandRun): Promise<CommandResult> {
  const { allowed, args, env, cwd, signal } = run
  refuseUnwatched(run.quota)
  await recheck(allowed)
  await refuseMissingFolder(cwd)
  signal.throwIfAborted()
  const mark = randomUUID()
  const child = spawn(allowed.file, args, {
    argv0: allowed.path,
    cwd,
    env: { ...env, [markVariable]: mark },
    detached: true,
    stdio: [run.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const watch = new RunWatch(run.quota, { group: child.pid ?? null, isWarm: false }, () => {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
  })
  run.measuredBy(() => watch.usage)
  const tail = new OutputTail()
  const linesOf = (stream: 'stdout' | 'stderr') =>
    new OutputLines(run.redact, (line) => {
      tail.add(line)
      run.onLine(stream, line)
    })
  const [out, errors] = [linesOf('stdout'), linesOf('stderr')]
  const readInto = (lines: OutputLines) => (bytes: Buffer) => {
    watch.printed(bytes.length)
    lines.write(bytes)
  }
  child.stdout?.on('data', readInto(out))
  child.stderr?.on('data', readInto(errors))
  // Its output ends when it does, and is heard of before its process is cleared away: of the shortest, too, its time is there.
  for (const stream of [child.stdout, child.stderr]) stream?.once('end', () => watch.lookLast())
  const [exitCode, killedBy] = await ended(child, mark, run).finally(() => watch.end())
  out.end()
  errors.end()
  signal.throwIfAborted()
  if (watch.exceeded !== null) throw watch.exceeded
  if (exitCode === 0) return { exitCode, output: tail.text }
  throw failure(allowed.path, exitCode, killedBy, tail.text)
}

async function ended(
  child: ChildProcess,
  mark: string,
  run: CommandRun,
): Promise<[number | null, NodeJS.Signals | null]> {
  const { allowed, signal, stdin, timer } = run
  const group = child.pid
  if (group === undefined) {
    const told: unknown[] = await once(child, 'error')
    const why = codeOf(told[0]) ?? messageOf(told[0])
    throw new EvertickError('execution_failed', `${allowed.path} could not be started: ${why}.`)
  }
  watchGroup(group, mark)
  // If the program ends before it has read its input, the exit code says so, not a broken pipe.
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin ?? '')
  const closed = once(child, 'close')
  let cancelKill: () => void = () => {}
  const send = (name: 'SIGTERM' | 'SIGKILL') => {
    signalGroup(group, name)
    void signalStrays(mark, name)
  }
  const stop = () => {
    send('SIGTERM')
    cancelKill()
    cancelKill = timer(graceOf(signal), () => send('SIGKILL'))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    await once(child, 'exit')
    // Processes that it left behind must not keep running unnoticed.
    stop()
    const late = Promise.withResolvers<void>()
    const cancelLate = timer(graceMs, late.resolve)
    await Promise.race([closed, late.promise])
    cancelLate()
    return [child.exitCode, child.signalCode]
  } finally {
    signal.removeEventListener('abort', stop)
    cancelKill()
    signalGroup(group, 'SIGKILL')
    child.stdout?.destroy()
    child.stderr?.destroy()
    await killStrays(mark)
    unwatchGroup(group)
  }
}

/** Another worker soon runs it: a stopping node gives its work back, and a lost lease has another holder. */
function graceOf({ reason }: AbortSignal): number {
  const passesOn = reason instanceof EvertickError && ['not_running', 'stale_lease'].includes(reason.code)
  return passesOn ? shortGraceMs : graceMs
}

async function refuseMissingFolder(cwd: string): Promise<void> {
  const folder = await stat(cwd).catch(() => null)
  if (folder?.isDirectory() === true) return
  throw new EvertickError('execution_failed', `There is no folder ${cwd} on this node.`, {
    field: 'handler.cwd',
  })
}

function failure(
  path: string,
  exitCode: number | null,
  killedBy: NodeJS.Signals | null,
  tail: string,
): EvertickError {
  const how = killedBy === null ? `with exit code ${exitCode}` : `by ${killedBy}`
  const last = tail === '' ? '' : ` Its last lines:\n${tail}`
  return new EvertickError('execution_failed', `${path} ended ${how}.${last}`)
}
