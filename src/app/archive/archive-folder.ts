/**
 * What retention removes, in files by the day of its end: a line of JSON for each execution, compressed. It is on the disk
 * before its rows are deleted. A node that dies between the two leaves them to the next leader, who writes them again: the
 * id of the execution tells that it is the same.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makePrivateFolder, privateFileMode } from '../../store/private-files.ts'
import type { Archive, RemovedExecution } from '../../store/store.ts'
import { attemptsOf } from '../execution/execution-detail.ts'
import { stepViews } from '../execution/steps.ts'
import { executionView } from '../views.ts'

/**
 * Each process writes files of its own: what another left half written when it died is then at the end of a file, where it
 * spoils nothing.
 */
export function archiveInto(folder: string, own = randomBytes(4).toString('hex')): Archive {
  return (removed) => {
    makePrivateFolder(folder)
    for (const [day, executions] of Map.groupBy(removed, dayOf)) {
      append(join(folder, `executions-${day}-${own}.jsonl.gz`), executions.map(lineOf).join(''))
    }
  }
}

function dayOf({ execution }: RemovedExecution): string {
  return new Date(execution.finishedAt ?? execution.createdAt).toISOString().slice(0, 10)
}

function lineOf({ execution, attempts, usages, steps, logs }: RemovedExecution): string {
  const view = executionView(execution)
  const line = {
    ...view,
    attempts: attemptsOf(view, attempts, usages),
    steps: stepViews(steps, execution, execution.finishedAt ?? execution.createdAt),
    logs: logs.map(({ at, level, message }) => ({ at: new Date(at), level, message })),
  }
  return `${JSON.stringify(line)}\n`
}

/** Members of gzip that follow each other are one file to everybody who reads it. */
function append(path: string, lines: string): void {
  const file = openSync(path, 'a', privateFileMode)
  try {
    const member = gzipSync(lines)
    for (let written = 0; written < member.length; ) written += writeSync(file, member, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
