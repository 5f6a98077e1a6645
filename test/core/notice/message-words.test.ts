/** What people are told of each kind of message: one line, whatever the names in it. */
import { expect, test } from 'vitest'
import type { Message } from '../../../src/core/notice/message.ts'
import { messageWords } from '../../../src/core/notice/message-words.ts'
import { noticeTypeNames } from '../../../src/core/notice/notice.ts'

const scheduledFor = '2027-01-04T02:00:00.000Z'
const run = { job: 'etl', executionId: 'e', scheduledFor, attempt: 1, maxAttempts: 3 }
const error = { name: 'Error', message: 'no rows' }
const change = { job: 'etl', state: 'active', by: 'ann' }
const alert = {
  rule: 'failing',
  count: 1,
  sentence: 'etl failed.',
  alerts: [{ sentence: 'etl failed.', next: 'Look.' }],
}

const said: Readonly<Record<string, readonly [data: Message['data'], sentence: string]>> = {
  'execution.completed': [run, 'etl completed.'],
  'execution.failed': [{ ...run, error }, 'etl failed: no rows'],
  'execution.cancelled': [{ ...run, reason: 'operator' }, 'etl was cancelled: operator'],
  'execution.retrying': [{ ...run, error }, 'Attempt 1 of 3 of etl failed: no rows'],
  'job.created': [change, 'etl was created by ann.'],
  'job.updated': [change, 'etl was updated by ann.'],
  'job.paused': [{ ...change, state: 'paused', reason: 'moving' }, 'etl was paused by ann: moving'],
  'job.resumed': [change, 'etl was resumed by ann.'],
  'job.disabled': [{ ...change, state: 'disabled' }, 'etl was disabled by ann.'],
  'job.enabled': [change, 'etl was enabled by ann.'],
  'job.cancelled': [{ ...change, state: 'cancelled' }, 'etl was cancelled by ann.'],
  'job.deleted': [change, 'etl was deleted by ann.'],
  'job.error': [change, 'The schedule of etl can no longer be computed.'],
  'alert.opened': [alert, 'etl failed.'],
  'alert.repeated': [alert, 'Still: etl failed.'],
  'alert.resolved': [alert, 'Over: etl failed.'],
  'leader.elected': [{ node: 'n1', term: 3 }, 'n1 leads.'],
}

test.each(noticeTypeNames)('%s has a sentence of its own', (type) => {
  const [data, sentence] = said[type] ?? [{}, '']
  expect(messageWords({ id: '', type, timestamp: '', data }).sentence).toBe(sentence)
})

test('what else is worth a line: when a run was due, what to do about an alert; and where to look', () => {
  const words = (type: string, data: Message['data']) => messageWords({ id: '', type, timestamp: '', data })
  expect(words('execution.failed', { ...run, url: 'https://e/1' })).toMatchObject({
    lines: [`It was due at ${scheduledFor}.`],
    url: 'https://e/1',
  })
  expect(words('alert.opened', alert)).toMatchObject({ lines: ['Look.'], url: null })
  expect(words('alert.resolved', alert).lines).toEqual([])
})

test('a name or an error with line ends and control characters stays on one line', () => {
  const data = { ...run, job: 'a\r\nBcc: b\u2028c', error: { message: 'x\u0000\ny' } }
  const { sentence } = messageWords({ id: '', type: 'execution.failed', timestamp: '', data })
  expect(sentence).toBe('a Bcc: b c failed: x y')
})
