/** The jobs of examples/jobs.ts, which only the repository has. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AnyJob } from '../../../app/config/options.ts'
import { EvertickError } from '../../../core/error.ts'

export async function loadExampleJobs(): Promise<readonly AnyJob[]> {
  const file = new URL('../../../../examples/jobs.ts', import.meta.url)
  if (!existsSync(fileURLToPath(file))) {
    throw new EvertickError('invalid_option', 'The example jobs are not part of the package.', {
      field: '--example',
      next: 'Run `evertick init` to create a configuration and a job of your own.',
    })
  }
  const { exampleJobs } = (await import(file.href)) as { exampleJobs: readonly AnyJob[] }
  return exampleJobs
}
