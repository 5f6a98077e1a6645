/** What the dashboard exports of a job is what its user would write: it works where it is pasted. */
import { stripTypeScriptTypes } from 'node:module'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codeOf, commandOf, jsonOf } from '../../dashboard/src/screens/job/actions/exported-job.ts'
import { newestDefinition, type Revision } from '../../dashboard/src/screens/job/definition.ts'
import type { CreateJob } from '../../src/app/job/jobs.ts'
import type { Job } from '../../src/client/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

async function exported(options: Omit<CreateJob, 'name'>) {
  const node = await openTestNode({ jobs: [] })
  onTestFinished(() => node.stop())
  const { evertick } = node
  await evertick.jobs.create({ name: 'nightly', ...options })
  // As they come over HTTP.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const job = plain(await evertick.jobs.get('nightly')) as Job
  const revisions = plain(await evertick.jobs.revisions('nightly')) as Revision[]
  const definition = newestDefinition(job, revisions)
  return { evertick, definition }
}

const given: Omit<CreateJob, 'name'> = {
  handler: { type: 'http', url: "https://example.com/it's", method: 'POST', body: { a: [1, 'two'] } },
  schedule: { cron: '0 3 * * *', timezone: 'Europe/Madrid' },
  catchUp: { policy: 'all', maxMissedRuns: 3 },
  retry: { attempts: 5, base: '30s' },
  timeout: '10m',
  tags: ['billing', 'two words'],
  metadata: { team: 'web' },
}

describe('an exported job', () => {
  it('says only what is not so anyway', async () => {
    const { definition } = await exported({ handler: 'nightly', schedule: { every: '15m', anchor: 'epoch' } })
    expect(definition).toEqual({
      name: 'nightly',
      handler: { type: 'function', name: 'nightly' },
      schedule: { every: '15m', anchor: 'epoch' },
    })
  })

  it('makes the same job again from its JSON', async () => {
    const { evertick, definition } = await exported(given)
    const again = JSON.parse(jsonOf(definition)) as CreateJob
    await evertick.jobs.create({ ...again, name: 'again' })
    const [one] = await evertick.jobs.revisions('nightly')
    const [other] = await evertick.jobs.revisions('again')
    expect(other?.options).toEqual(one?.options)
    expect(other?.handler).toEqual(one?.handler)
  })

  it('is a command that a shell reads as one', async () => {
    const { definition } = await exported(given)
    const command = commandOf(definition)
    expect(command).toContain('npx evertick jobs create nightly')
    expect(command).toContain(`--http 'https://example.com/it'\\''s'`)
    expect(command).toContain("--cron '0 3 * * *' \\\n  --tz Europe/Madrid")
    expect(command).toContain("--tag 'two words'")
    expect(command).toContain('--timeout 10m')
  })

  it('is code that parses, with its values as they are', async () => {
    const { definition } = await exported(given)
    const code = stripTypeScriptTypes(codeOf(definition))
      .replace(/^import .*$/m, '')
      .replace('export const job = defineJob(', '(')
    const read: unknown = runInNewContext(code)
    expect(read).toEqual({ ...definition })
  })
})
