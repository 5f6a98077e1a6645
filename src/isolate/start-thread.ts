/** A child that is a thread of this process: cheap, with a heap of its own, ended by `terminate`. */
import { Worker } from 'node:worker_threads'
import { codeOf } from '../core/unknown-value.ts'
import { errorFrom } from '../engine/worker/outcome-signal.ts'
import type { ToNode } from './border.ts'
import type { Death } from './death.ts'
import { threadUsage } from './thread-usage.ts'
import { type ChildListener, type ChildOptions, childFile, type Transport } from './transport.ts'

const megabyte = 1_048_576
/**
 * Of the heap's part for new objects. At its limit Node allows a thread a little more, in which it is ended; with the usual
 * 48 MB, one collection moved more than that over, and V8 aborted the whole process.
 */
const youngMb = 8

export function startThread({ module, memory }: ChildOptions, listener: ChildListener): Transport {
  const worker = new Worker(childFile(), {
    argv: [module],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxYoungGenerationSizeMb: youngMb,
      ...(memory === null ? {} : { maxOldGenerationSizeMb: Math.max(1, Math.floor(memory / megabyte)) }),
    },
  })
  let died: Pick<Death, 'uncaught' | 'outOfMemory'> = { uncaught: null, outOfMemory: false }
  worker.on('message', (message: ToNode) => listener.message(message))
  worker.stdout.on('data', (bytes: Buffer) => listener.output('stdout', bytes))
  worker.stderr.on('data', (bytes: Buffer) => listener.output('stderr', bytes))
  worker.on('error', (error) => {
    died = { uncaught: errorFrom(error), outOfMemory: codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' }
  })
  worker.once('exit', (exitCode) => listener.died({ exitCode, signal: null, ...died }))
  return {
    pid: null,
    ask: () => threadUsage(worker),
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    post: (message) => worker.postMessage(message),
    kill: () => void worker.terminate(),
  }
}
