import type { Answer } from '../../../../src/client/index.ts'

export type Flow = Answer<'GET /flows'>['flows'][number]
export type FlowDetail = Answer<'GET /flows/{id}'>
export type FlowStep = FlowDetail['steps'][number]
export type Batch = Answer<'GET /batches/{id}'>

/** What belongs together has no event of its own on the server. */
export const lookAgainMs = 3_000

type Counts = Flow['counts']

export function openOf({ total, completed, failed, cancelled }: Counts): number {
  return total - completed - failed - cancelled
}

/** "734 of 1,000 completed, 2 failed". */
export function countsSentence({ total, completed, failed, cancelled }: Counts): string {
  const number = (count: number) => count.toLocaleString('en')
  const others = [
    ...(failed === 0 ? [] : [`${number(failed)} failed`]),
    ...(cancelled === 0 ? [] : [`${number(cancelled)} cancelled`]),
  ]
  return [`${number(completed)} of ${number(total)} completed`, ...others].join(', ')
}
