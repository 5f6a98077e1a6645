/** Handlers that are bad for whoever is beside them, and a good one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { JobContext } from '../../../src/index.ts'

const never = (): Promise<never> => once(process, 'never') as Promise<never>

export const animals = {
  good: (number: number) => number,
  fill() {
    const all: unknown[] = []
    for (;;) all.push(Array.from({ length: 1_000 }, () => ({})))
  },
  loop() {
    for (;;);
  },
  exit: () => process.exit(5),
  abort: () => process.abort(),
  throwNull() {
    // oxlint-disable-next-line typescript/only-throw-error
    throw null
  },
  throwThorny() {
    throw new (class extends Error {
      override get message(): string {
        throw new Error('do not touch')
      }
    })()
  },
  async print() {
    const line = `${'x'.repeat(1_023)}\n`
    for (let kilobyte = 0; kilobyte < 100_000; kilobyte += 1) {
      if (!process.stdout.write(line)) await once(process.stdout, 'drain')
    }
  },
  async fork() {
    for (let child = 0; child < 8; child += 1) spawn('/bin/sleep', ['300'])
    await never()
  },
  async deaf() {
    process.removeAllListeners('SIGTERM').on('SIGTERM', () => {})
    spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 300 & sleep 300'])
    await never()
  },
} as const

export async function handler(
  ctx: JobContext<{ animal: keyof typeof animals; number: number }>,
): Promise<unknown> {
  return await animals[ctx.input.animal](ctx.input.number)
}
