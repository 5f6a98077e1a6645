/** A node that kills itself once so many of its handlers stand at the line that their input names. */
import { appendFileSync } from 'node:fs'
import { Evertick } from '../../src/index.ts'
import { configured, say, sayingLogger } from './said.ts'
import { answered, fiveSteps, isTransactional, type Line, steps } from './step-jobs.ts'

export interface StepNodeConfig {
  readonly database: string
  /** The witness: a line for each effect that no database can take back. */
  readonly file: string
  readonly queues: readonly string[]
  /** Null: it lives, and takes over what others have left. */
  readonly dies: number | null
}

const { database, file, queues, dies } = configured() as StepNodeConfig
let standing = 0

async function stand(): Promise<void> {
  if (dies === null) return
  standing += 1
  if (standing === dies) process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

const witness = (...words: (string | number)[]) => appendFileSync(file, `${words.join(' ')}\n`)

const evertick = await Evertick.open({
  database,
  logger: sayingLogger,
  roles: ['worker'],
  queues: Object.fromEntries(queues.map((queue) => [queue, { concurrency: 32 }])),
  jobs: [
    fiveSteps.handle(async (ctx) => {
      const { executionId, attempt, input } = ctx
      const at = async (step: number, moment: Line['moment']) => {
        if (input.step === step && input.moment === moment) await stand()
      }
      const results: unknown[] = []
      for (const step of steps) {
        await at(step, 'before')
        const name = `s${step}`
        const result = isTransactional(step)
          ? await ctx.step(
              name,
              async (tx) => {
                await at(step, 'inside')
                await tx.sql`INSERT INTO step_effects VALUES (${executionId}, ${step}, ${attempt})`
                await at(step, 'effect')
                return step
              },
              { transaction: true },
            )
          : await ctx.step(name, async () => {
              await at(step, 'inside')
              witness(executionId, step, attempt)
              await at(step, 'effect')
              return step
            })
        results.push(result)
        await at(step, 'memo')
      }
      return results
    }),
    answered.handle(async (ctx) => {
      const { outcome } = await ctx.waitFor('go', { timeout: '500ms' })
      witness(ctx.executionId, outcome)
      await stand()
      return outcome
    }),
  ],
})
await evertick.run()
say('stopped')
