/** A file of jobs, from jobs as they are written: what `apply` and `import` read. */
import { stringify } from 'yaml'

export const fileFormats = ['yaml', 'json'] as const
export type FileFormat = (typeof fileFormats)[number]

export interface LeftOutJob {
  readonly job: string
  readonly why: string
}

export function writeJobsFile(
  format: FileFormat,
  jobs: readonly object[],
  leftOut: readonly LeftOutJob[],
): string {
  if (format === 'json') return `${JSON.stringify({ jobs }, null, 2)}\n`
  const yaml = stringify({ jobs }, { lineWidth: 0, aliasDuplicateObjects: false })
  const comments = leftOut.map(({ job, why }) => `# Left out: ${job}: ${why}\n`)
  return [...comments, yaml].join('')
}
