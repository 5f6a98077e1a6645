/** The steps, sleeps and waits of one run without a database: nothing is slept, and what waits is answered at once. */
import { EvertickError } from '../core/error.ts'
import { refuseStepName, type StepKind } from '../core/execution/step.ts'
import type { Answer } from '../engine/worker/handler.ts'
import type { RunJobOptions, TestStep } from './run-job.ts'

export class TestSteps {
  readonly steps: TestStep[]
  /** Resolves when the process of this run dies. */
  readonly crashed = Promise.withResolvers<void>()
  readonly #signals: Readonly<Record<string, unknown>>
  readonly #used = new Set<string>()
  #left: number

  constructor({ steps = [], signals = {}, crashAfter = Number.POSITIVE_INFINITY }: RunJobOptions<unknown>) {
    this.steps = [...steps]
    this.#signals = signals
    this.#left = crashAfter
  }

  async step(name: string, work: () => unknown): Promise<unknown> {
    return await this.#once(name, 'step', async () => await work())
  }

  async sleep(name: string): Promise<void> {
    await this.#once(name, 'sleep', async () => undefined)
  }

  async waitFor(name: string): Promise<Answer> {
    const answered = await this.#once(name, 'wait', async () =>
      Object.hasOwn(this.#signals, name)
        ? { outcome: 'signal', payload: this.#signals[name], by: 'test' }
        : { outcome: 'timeout' },
    )
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of an earlier run, or made above
    return answered as Answer
  }

  async #once(name: string, kind: StepKind, work: () => Promise<unknown>): Promise<unknown> {
    refuseStepName(name)
    if (this.#used.has(name))
      throw new EvertickError('invalid_option', `The name "${name}" is used twice in one run.`, {
        field: 'name',
        next: 'Give each step, sleep and wait a name of its own.',
      })
    this.#used.add(name)
    const memo = this.steps.find((step) => step.name === name)
    if (memo !== undefined) return memo.result
    const written = JSON.stringify(await work())
    const result: unknown = written === undefined ? undefined : JSON.parse(written)
    this.steps.push({ name, kind, result })
    this.#left -= 1
    if (this.#left > 0) return result
    this.crashed.resolve()
    return await new Promise(() => {})
  }
}
