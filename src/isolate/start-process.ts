/** A child that is a process: a memory, a crash and a process group of its own, ended by SIGKILL to all of that group. */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { signalGroup, unwatchGroup, watchGroup } from '../handlers/process-group.ts'
import { killStrays, markVariable } from '../handlers/strays.ts'
import type { ToNode } from './border.ts'
import type { Death } from './death.ts'
import { type ChildListener, type ChildOptions, childFile, type Transport } from './transport.ts'

const megabyte = 1_048_576
/** What Node writes before it aborts. */
const heapWords = 'heap out of memory'

export function startProcess(options: ChildOptions, listener: ChildListener): Transport {
  const { module, memory, environment } = options
  const mark = randomUUID()
  const child = fork(fileURLToPath(childFile()), [module], {
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...environment, [markVariable]: mark },
    execArgv: [
      ...process.execArgv,
      ...(memory === null ? [] : [`--max-old-space-size=${Math.max(1, Math.floor(memory / megabyte))}`]),
    ],
  })
  const group = child.pid
  let uncaught: Death['uncaught'] = null
  let outOfMemory = false
  let last = ''
  if (group !== undefined) watchGroup(group, mark)
  child.on('message', (message: ToNode) => {
    if (message.kind === 'uncaught') uncaught = message.error
    else listener.message(message)
  })
  child.stdout?.on('data', (bytes: Buffer) => listener.output('stdout', bytes))
  child.stderr?.on('data', (bytes: Buffer) => {
    last = last.slice(-heapWords.length) + bytes.toString('latin1')
    outOfMemory ||= last.includes(heapWords)
    listener.output('stderr', bytes)
  })
  const die = (exitCode: number | null, signal: NodeJS.Signals | null) =>
    listener.died({ exitCode, signal, uncaught, outOfMemory: outOfMemory && signal !== 'SIGKILL' })
  // It could not even be started, or not be reached.
  child.on('error', (error) => {
    uncaught = error
    if (group === undefined) die(null, null)
  })
  const end = async (exitCode: number | null, signal: NodeJS.Signals | null) => {
    if (group === undefined) return
    // What it has started goes with it.
    signalGroup(group, 'SIGKILL')
    await killStrays(mark)
    unwatchGroup(group)
    // Its last words were written before its end, but are read after it.
    await new Promise(setImmediate)
    child.stdout?.destroy()
    child.stderr?.destroy()
    die(exitCode, signal)
  }
  child.once('exit', (exitCode, signal) => void end(exitCode, signal))
  return {
    pid: group ?? null,
    post: (message) => void child.send(message, () => {}),
    kill: () => {
      if (group !== undefined) signalGroup(group, 'SIGKILL')
    },
  }
}
