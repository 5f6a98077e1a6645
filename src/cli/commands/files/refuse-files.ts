/** Says everything that is wrong in files of jobs, each with the place to look at, and ends the command. */
import type { RefusedEntry } from '../../../app/job/managed/plan-list.ts'
import { type ErrorCode, EvertickError } from '../../../core/error.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import type { Terminal } from '../../output/terminal.ts'
import type { JobInFile, TroubleInFile } from './read-files.ts'

interface Trouble extends TroubleInFile {
  readonly code: ErrorCode
  readonly job: string | null
}

export function refuseTroubles(terminal: Terminal, troubles: readonly TroubleInFile[]): void {
  refuse(
    terminal,
    troubles.map((trouble) => ({ ...trouble, job: null, code: 'invalid_definition' })),
  )
}

export function refuseEntries(
  terminal: Terminal,
  refused: readonly RefusedEntry[],
  jobs: readonly JobInFile[],
): void {
  const troubles = refused.flatMap(({ index, job: name, field, code, why, next }): Trouble[] => {
    const job = jobs[index]
    if (job === undefined) return []
    return [{ file: job.file, ...job.at(field ?? ''), job: name, code, why: about(name, why), next }]
  })
  refuse(terminal, troubles)
}

function about(job: string | null, why: string): string {
  return job === null || why.includes(JSON.stringify(job)) ? why : `Job ${JSON.stringify(job)}: ${why}`
}

function refuse(terminal: Terminal, troubles: readonly Trouble[]): void {
  const [first] = troubles
  if (first === undefined) return
  if (terminal.json) terminal.data({ refused: troubles })
  for (const { file, line, column, why, next } of troubles) {
    terminal.say(`${terminal.err.paint('strong', `${plainText(file)}:${line}:${column}`)} ${plainText(why)}`)
    if (next !== null) terminal.say(`  ${terminal.err.paint('running', '→')} ${plainText(next)}`)
  }
  throw new EvertickError(first.code, `${counted(troubles.length, 'problem')}; nothing was written.`, {
    field: `${first.file}:${first.line}:${first.column}`,
    next: troubles.length === 1 ? 'Solve it, and run it again.' : 'Solve them, and run it again.',
  })
}
