/** `evertick executions show`: one execution, its steps and its attempts. */

import type { AttemptView } from '../../../app/execution/execution-detail.ts'
import { roundBytes } from '../../../core/bytes.ts'
import type { Definition } from '../../../core/job/definition.ts'
import { actorText } from '../../output/actor-text.ts'
import { stateCell } from '../../output/execution-state.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writePairs, writeTable } from '../../output/table.ts'
import { executionSentence } from '../../output/tick-sentence.ts'
import { durationWords } from '../../output/times.ts'
import type { Session } from '../../session.ts'
import { jsonCell } from './json-cell.ts'
import { writeSteps } from './steps.ts'

export async function showExecution({ evertick, terminal, times }: Session, id: string): Promise<void> {
  const execution = await evertick.executions.get(id)
  terminal.answer(execution, (out) => {
    const { caughtUp, leasedBy, leasedUntil, progress, progressNote } = execution
    writePairs(out, [
      ['execution', execution.id],
      ['job', out.paint('strong', plainText(execution.job))],
      [
        'state',
        execution.waits === undefined
          ? `${stateCell(out, execution.state)}, ${executionSentence(execution.state, execution, times, true)}`
          : `${stateCell(out, execution.state)}: ${plainText(execution.waits.sentence)}`,
      ],
      [
        'cause',
        caughtUp === null ? execution.cause : `${execution.cause}, ${caughtUp.index} of ${caughtUp.of}`,
      ],
      ['enqueued by', execution.enqueuedBy === null ? null : actorText(execution.enqueuedBy)],
      ['scheduled for', times.both(execution.scheduledFor)],
      ['started', times.both(execution.startedAt)],
      ['finished', times.both(execution.finishedAt)],
      [
        'progress',
        progress === null ? null : `${Math.round(progress * 100)} % ${plainText(progressNote ?? '')}`,
      ],
      ['queue', `${execution.queue}, priority ${execution.priority}`],
      [
        'lease',
        leasedBy === null
          ? null
          : `${plainText(leasedBy)}, fence ${execution.fence}${leasedUntil === null ? '' : `, until ${times.at(leasedUntil)}`}`,
      ],
      ['revision', revisionWords(execution.definition)],
      ['retry of', execution.retryOf],
      ['idempotency key', execution.idempotencyKey],
      ['input', jsonCell(execution.input)],
      ['result', jsonCell(execution.result)],
      ['times in', out.tty ? times.timezone : null],
    ])
    if (execution.steps.length > 0) {
      out.write('')
      writeSteps(out, execution.steps, times, Date.now())
    }
    if (execution.attempts.length === 0) return
    out.write('')
    // Nearly all attempts are of functions, of which nobody can tell.
    const isWatched = execution.attempts.some(({ usage }) => usage !== null)
    const columns: readonly Column[] = [
      { title: 'ATTEMPT', align: 'right' },
      'OUTCOME',
      'STARTED',
      'TOOK',
      ...(isWatched ? usageColumns : []),
      { title: 'NODE', shrinks: true },
      { title: 'ERROR', shrinks: true },
    ]
    const rows = execution.attempts.map((attempt) => [
      String(attempt.attempt),
      attempt.outcome,
      attempt.startedAt === null ? '–' : times.at(attempt.startedAt),
      took(attempt),
      ...(isWatched ? [memoryUsed(attempt), cpuUsed(attempt)] : []),
      plainText(attempt.nodeId ?? '–'),
      attempt.error === null ? '' : plainText(attempt.error.message),
    ])
    writeTable(out, columns, rows)
  })
}

const usageColumns: readonly Column[] = [
  { title: 'PEAK MEMORY', align: 'right' },
  { title: 'CPU', align: 'right' },
]

function memoryUsed({ usage }: AttemptView): string {
  const bytes = usage?.peakMemoryBytes ?? null
  return bytes === null ? '–' : roundBytes(bytes)
}

function cpuUsed({ usage }: AttemptView): string {
  const ms = usage?.cpuMs ?? null
  return ms === null ? '–' : durationWords(ms)
}

/** What it remembers may be of another definition than the one that it runs under now. */
function revisionWords(definition: Definition | null): string | null {
  if (definition === null) return null
  const { began, revision } = definition
  return began === revision ? `${revision}` : `${revision}; began under revision ${began}`
}

function took({ startedAt, finishedAt }: AttemptView): string {
  return startedAt === null ? '–' : durationWords(finishedAt.getTime() - startedAt.getTime())
}
