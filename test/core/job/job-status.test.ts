/** The status of a job is a table: all that may follow, all that may not, and what a person may ask for. */
import { describe, expect, test } from 'vitest'
import {
  actionTable,
  canCancel,
  canPause,
  canResume,
  canRetry,
  isTransition,
  type JobStatus,
  jobStatuses,
  refuseIllegal,
  statusActions,
} from '../../../src/core/job/job-status.ts'

/** Written out once more, so that a slip in the table shows: a row per status, a column per status that may follow. */
const written = `
            pending scheduled running paused completed failed cancelled
  pending      .        x        x      .        .        .       x
  scheduled    x        .        x      x        x        .       x
  running      x        x        .      x        x        x       x
  paused       .        x        x      .        .        .       x
  completed    .        x        .      .        .        .       .
  failed       x        x        .      .        .        .       .
  cancelled    .        .        .      .        .        .       .
`

const combinations = written
  .trim()
  .split('\n')
  .slice(1)
  .flatMap((line) => {
    const [from, ...marks] = line.trim().split(/\s+/)
    return marks.map(
      (mark, column) => [from as JobStatus, jobStatuses[column] as JobStatus, mark === 'x'] as const,
    )
  })

test('the table has every combination', () => {
  expect(new Set(combinations.map(([from, to]) => `${from} ${to}`)).size).toBe(jobStatuses.length ** 2)
})

test.each(combinations)('from %s to %s: %s', (from, to, legal) => {
  expect(isTransition(from, to)).toBe(legal)
})

describe.each([
  ['canPause', canPause, ['scheduled']],
  ['canResume', canResume, ['paused']],
  ['canCancel', canCancel, ['pending', 'scheduled', 'running', 'paused']],
  ['canRetry', canRetry, ['failed']],
] as const)('%s', (_name, can, legal) => {
  test.each(jobStatuses)('%s', (status) => {
    expect(can(status)).toBe((legal as readonly string[]).includes(status))
    expect(can({ status })).toBe(can(status))
  })
})

test('what an action leads to may follow where it is legal', () => {
  for (const action of statusActions) {
    const { from, to } = actionTable[action]
    expect(from.filter((status) => !isTransition(status, to))).toEqual([])
  }
})

test('an illegal action is a coded error that names both statuses and what can be done', () => {
  expect(() => refuseIllegal('pause', 'crawl', 'completed')).toThrow(
    expect.objectContaining({
      code: 'invalid_transition',
      message:
        'Cannot pause job "crawl": it is completed, and only a job that is scheduled becomes paused by it.',
      next: 'While it is completed you can delete it, or give it a new schedule.',
    }),
  )
  expect(() => refuseIllegal('retry', 'crawl', 'running')).toThrow(
    expect.objectContaining({ next: 'While it is running you can: cancel.' }),
  )
  expect(() => refuseIllegal('retry', 'crawl', 'failed')).not.toThrow()
})
