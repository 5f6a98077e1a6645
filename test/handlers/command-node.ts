/** A node that may run the given programs, and a folder of programs of the test's own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CommandHandlerOptions, CreateJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-command-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An executable with this text, and where it lies. */
export function program(text: string, folder = testFolder()): string {
  const path = join(folder, 'program')
  writeFileSync(path, text, { mode: 0o755 })
  return path
}

export function shellProgram(text: string): string {
  return program(`#!/bin/sh\n${text}\n`)
}

/** Prints its arguments, environment, folder and standard input as JSON. */
export function argvProgram(): string {
  return program(`#!${process.execPath}
const stdin = process.argv.includes('--stdin') ? require('node:fs').readFileSync(0, 'utf8') : null
console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdin }))
`)
}

/** A node that lets its jobs set these. */
export function letting(env: Readonly<Record<string, string>>): Pick<TestNodeOptions, 'allowCommandEnv'> {
  return { allowCommandEnv: Object.keys(env) }
}

/** Whether the process still runs: one that has ended and that nobody has asked about is only listed. */
export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

export async function nodeAllowing(
  allowCommands: readonly string[],
  options: TestNodeOptions = {},
): Promise<TestNode> {
  const node = await openTestNode({ allowCommands, ...options })
  onTestFinished(() => node.stop())
  return node
}

/** Runs it once, without retries, and waits for its end. */
export async function ranCommand(
  node: TestNode,
  handler: Omit<CommandHandlerOptions, 'type'>,
  { name = 'command', ...job }: Partial<CreateJob> = {},
) {
  const retry = { attempts: 1 }
  await node.evertick.jobs.create({ name, retry, ...job, handler: { type: 'command', ...handler } })
  const { id } = await node.evertick.jobs.trigger(name)
  await node.settle()
  return await node.evertick.executions.get(id)
}
