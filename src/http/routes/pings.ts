/**
 * `/ping/{token}`: what a program elsewhere calls when it has done the work of a tick. Whoever has the token may, so that a
 * line of a crontab needs nothing but curl; of the job it is told no more than which tick this was.
 */
import { z } from 'zod'
import type { CheckInWord } from '../../core/check-in/check-in.ts'
import { type Call, endpoint } from '../endpoint.ts'
import * as schema from '../schemas/job.ts'

const tag = 'Check-ins'
const token = z.string().min(1).max(200)
/** As Healthchecks has them: `start`, `fail`, or the exit status of the program. */
const said = z
  .string()
  .regex(
    /^(?:start|fail|[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/,
    'must be start, fail, or an exit status',
  )
const done = z.strictObject({ token })
const other = z.strictObject({ token, said })
const plain = { role: 'public', tag, answers: z.string(), contentType: 'text/plain' } as const

type Ping = Pick<Call, 'evertick'> & {
  readonly params: { readonly token: string; readonly said?: string }
  readonly body?: string | undefined
}

async function ping({ evertick, params, body = '' }: Ping): Promise<string> {
  const { token: given, said: what = '0' } = params
  const word: CheckInWord = what === 'start' ? 'start' : what === '0' ? 'ok' : 'failed'
  const status = word === 'failed' && what !== 'fail' ? `exit status ${what}` : ''
  const note = [status, body.trim()].filter((text) => text !== '').join('\n')
  return `${(await evertick.jobs.checkIn(given, { word, note })).sentence}\n`
}

export const pingRoutes = [
  endpoint({
    ...plain,
    method: 'get',
    path: '/ping/{token}',
    summary: 'The work of a tick is done',
    params: done,
    run: ping,
  }),
  endpoint({
    ...plain,
    method: 'post',
    path: '/ping/{token}',
    summary: 'The work of a tick is done; the body is kept as a log line',
    params: done,
    body: schema.note,
    bodyOptional: true,
    takes: 'text',
    run: ping,
  }),
  endpoint({
    ...plain,
    method: 'get',
    path: '/ping/{token}/{said}',
    summary: 'The work of a tick begins (`start`), has failed (`fail`), or ended with an exit status',
    params: other,
    run: ping,
  }),
  endpoint({
    ...plain,
    method: 'post',
    path: '/ping/{token}/{said}',
    summary: 'The same; the body is kept as a log line',
    params: other,
    body: schema.note,
    bodyOptional: true,
    takes: 'text',
    run: ping,
  }),
]
