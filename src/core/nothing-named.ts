/** Neither a job nor an execution has this name or id: said alike by the library and by the client of a server. */
import { EvertickError } from './error.ts'

export function nothingNamed(reference: string): EvertickError {
  return new EvertickError('job_not_found', `There is no job and no execution "${reference}".`, {
    next: 'List the jobs with `evertick jobs list`, or executions with `evertick executions list`.',
  })
}
