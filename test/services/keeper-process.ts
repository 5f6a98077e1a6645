// The parent of one private server. No server ends by itself when the tests are killed: this process notices, because
// its channel to them closes, and then ends the server and removes its folder. It is also the usual way to remove one.
//   node keeper-process.ts <folder> <signal that crashes the server>
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync } from 'node:fs'
import type { Answer, Order } from './keeper.ts'

const [folder = '', crashSignal = 'SIGKILL'] = process.argv.slice(2)
const patienceMs = 5_000
let child: ChildProcess | null = null

process.on('message', (order: Order) => {
  if ('signal' in order) signalChild(order.signal)
  else run(order)
})
process.on('disconnect', () => void end())
// The tests may have been killed before this file was loaded, and then nothing says so again.
if (!process.connected) void end()

function run(order: Exclude<Order, { signal: string }>): void {
  const log = openSync(order.log, 'a')
  const started = spawn(order.program, order.args, {
    cwd: folder,
    // Messages in English, so that a taken port can be told from the log; nothing that would configure a client.
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', log, log],
    // A process group, because an installer is a shell script with a server below it.
    detached: true,
    ...order.account,
  })
  closeSync(log)
  child = started
  started.on('spawn', () => answer({ pid: started.pid ?? 0 }))
  started.on('error', (error) => answer({ ended: error.message, code: null }))
  started.on('exit', (code, signal) => {
    child = null
    answer({ ended: signal === null ? `exit code ${code}` : signal, code })
  })
}

function signalChild(signal: string): void {
  if (child?.pid !== undefined) process.kill(-child.pid, signal)
}

function answer(answer: Answer): void {
  if (process.connected) process.send?.(answer)
}

async function end(): Promise<void> {
  if (child !== null) {
    const exited = once(child, 'exit')
    signalChild(crashSignal)
    setTimeout(() => signalChild('SIGKILL'), patienceMs).unref()
    await exited
  }
  // A backend that has not noticed yet may still write a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  process.exit()
}
