/**
 * A job as somebody writes it down: its definition without the defaults, as plain JSON. It is what an export prints, what
 * a file is compared by, and what makes the job again elsewhere.
 */
import { defaultExpect } from '../../../core/job/expected-status.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { tellingOptions } from '../../../core/job/options-codec.ts'
import { isRecord } from '../../../core/unknown-value.ts'
import { type HandlerView, handlerView } from '../../handler/handler-view.ts'
import { optionsOfSpec } from '../../views.ts'

export type WrittenJob = { readonly name: string } & Readonly<Record<string, unknown>>

export function writtenJob(name: string, spec: JobSpec, paused: boolean): WrittenJob {
  const { schedule, ...options } = optionsOfSpec(spec)
  const handler = writtenHandler(name, handlerView(spec.handler))
  const written = {
    name,
    ...(schedule === undefined ? {} : { schedule }),
    ...(handler === null ? {} : { handler }),
    ...((spec.input ?? null) === null ? {} : { input: spec.input }),
    ...tellingOptions({ ...options }),
    ...(paused ? { paused } : {}),
  }
  // Instants become text, as they stand in a file.
  const plain: unknown = JSON.parse(JSON.stringify(written))
  return isRecord(plain) ? { ...plain, name } : { name }
}

export function writtenOf({ name, spec, state }: Job): WrittenJob {
  return writtenJob(name, spec, state === 'paused')
}

/** Null for the function that has the job's own name, which a job has if nobody says otherwise. */
function writtenHandler(
  name: string,
  handler: HandlerView,
): Readonly<Record<string, unknown>> | string | null {
  if (handler.type === 'function') return handler.name === name ? null : handler.name
  const unsaid = (value: unknown) =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  const { type, ...rest } = handler
  const said = Object.entries(rest).filter(
    ([key, value]) => key === 'body' || !(unsaid(value) || (key === 'expect' && value === defaultExpect)),
  )
  return { type, ...Object.fromEntries(said) }
}
