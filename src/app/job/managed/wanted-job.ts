/** One job of a list that somebody wrote, into the form that its manager writes: checked completely, before anything is. */
import { EvertickError } from '../../../core/error.ts'
import { jobOptions } from '../../../core/job/fields.ts'
import type { JobSpec } from '../../../core/job/job.ts'
import type { JobOptions } from '../../../core/job/options.ts'
import { redacted } from '../../../core/job/secret-name.ts'
import { isRecord } from '../../../core/unknown-value.ts'
import type { AppContext } from '../../app-context.ts'
import { refuseUnknown } from '../../config/call-options.ts'
import { handlerSpec } from '../../handler/handler-options.ts'
import { refuseName } from '../define-job.ts'
import { jobSpec } from '../job-options.ts'
import { hashOfText, type ManagedJob, type Standing } from './managed-job.ts'
import { type SecretMarks, secretMarks } from './secret-marks.ts'
import { type WrittenJob, writtenJob } from './written-job.ts'

export const listedFields = [
  'name',
  'schedule',
  'handler',
  'input',
  'paused',
  ...jobOptions.map(([name]) => name),
]

export interface WantedJob extends ManagedJob {
  /** As it will be, and the marks of its secrets. */
  readonly written: WrittenJob
  readonly marks: SecretMarks
}

/** Stands for the creation of a job in its hash: no anchor that anybody writes. */
const unborn = 1

/** `standing`: the job as it is, whose secrets a list may keep by `[redacted]`. `manager` null: it keeps no hash. */
export function wantedJob(
  app: AppContext,
  value: unknown,
  standing: Standing,
  manager: string | null,
): WantedJob {
  const { name, handler, input, paused, options } = fieldsOf(value)
  const { maxPayloadBytes, timezone, secrets } = app
  const spec = ({ createdAt, spec: before }: Standing): JobSpec => {
    const context = { ...app, job: name, before: before?.handler ?? null }
    return jobSpec(options, {
      name,
      handler: handlerSpec(handler, context),
      input,
      maxPayloadBytes,
      timezone,
      createdAt,
    })
  }
  const made = spec(standing)
  const marks = secretMarks(name, made.handler, secrets)
  const hashed = writtenJob(name, spec({ ...standing, createdAt: unborn }), paused)
  // What a list keeps by `[redacted]` may be changed elsewhere: it is not part of this definition.
  const told = [...marks].filter(([field]) => !isKept(handler, field))
  return {
    name,
    paused,
    spec,
    written: writtenJob(name, made, paused),
    marks,
    hash: manager === null ? null : hashOfText(JSON.stringify([manager, hashed, told])),
  }
}

/** Its name, if it has one that can be a job's. */
export function nameOf(value: unknown): string | null {
  return isRecord(value) && typeof value['name'] === 'string' ? value['name'] : null
}

function fieldsOf(value: unknown) {
  if (!isRecord(value)) throw invalid('A job must be an object with a name.')
  const { name, handler, input, paused = false, ...options } = value
  if (name === undefined) throw invalid('A job has no name.')
  refuseName(name)
  refuseUnknown(value, listedFields, `Job "${name}"`, 'invalid_definition')
  if (typeof paused !== 'boolean') throw invalid(`Job "${name}": paused is neither true nor false.`, 'paused')
  // What these are, `jobSpec` finds out.
  return { name, handler: handler ?? name, input, paused, options: options as JobOptions }
}

function isKept(handler: unknown, field: string): boolean {
  const [, kind = '', ...name] = field.split('.')
  const values = isRecord(handler) ? handler[kind] : undefined
  return isRecord(values) && values[name.join('.')] === redacted
}

function invalid(message: string, field?: string): EvertickError {
  return new EvertickError('invalid_definition', message, field === undefined ? {} : { field })
}
