import { expect, test } from 'vitest'
import { containing, jsonOf, runCli, testFolder } from './run-cli.ts'

const config = `
import { defineConfig, defineJob } from 'evertick'
const mail = defineJob({ name: 'mail', overlap: 'allow', retry: { attempts: 2, base: '100ms' }, run: (ctx) => {
  if (ctx.attempt === 1) throw new Error('busy')
} })
export default defineConfig({ database: 'sqlite:work.db', jobs: [mail] })
`

test('--once runs one execution, --drain all of them with their retries', async () => {
  const cwd = testFolder({ 'evertick.config.ts': config })
  await runCli(['jobs', 'create', 'letters', '--handler', 'mail', '--overlap', 'allow', '--attempts', '2'], {
    cwd,
  })
  // Nobody here has the handler of this one: it is not waited for.
  await runCli(['jobs', 'create', 'elsewhere', '--run-now'], { cwd })
  for (let letter = 0; letter < 3; letter += 1) await runCli(['run', 'letters'], { cwd })
  const once = await runCli(['worker', '--once'], { cwd })
  expect(once).toMatchObject({ code: 0, stdout: containing('attempt 1 failed: busy') })
  const counts = async () => {
    const { executions } = await jsonOf<{ executions: { state: string; attempt: number }[] }>(
      ['executions', 'list', '--job', 'letters'],
      { cwd },
    )
    return executions.map(({ state, attempt }) => `${state} ${attempt}`).sort()
  }
  expect(await counts()).toEqual(['pending 0', 'pending 0', 'retrying 1'])
  const drain = await runCli(['worker', '--drain'], { cwd })
  expect(drain).toMatchObject({ code: 0, stderr: containing('3 runs completed') })
  expect(await counts()).toEqual(['completed 2', 'completed 2', 'completed 2'])
  expect(await runCli(['worker', '--once'], { cwd })).toMatchObject({
    stderr: containing('No execution is ready'),
  })
})
