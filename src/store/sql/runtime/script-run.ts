/** One run of a script on one connection of a server: when its transaction begins, and whether it may have been written. */
import { type Answer, aloneOf, type Script, type Step } from './script.ts'
import type { Session } from './server-session.ts'

/** Something has been committed, or may have been: the script is not run again, and its caller reads what became of it. */
export class MayBeWritten extends Error {}

export type RunKind = 'none' | 'snapshot' | 'write'

/** One run of a script on one connection. */
export class Run {
  readonly #session: Session
  readonly #kind: RunKind
  readonly #isLost: (error: unknown) => boolean
  #began = false
  #committing = false
  #committed = false

  constructor(session: Session, kind: RunKind, isLost: (error: unknown) => boolean) {
    this.#session = session
    this.#kind = kind
    this.#isLost = isLost
  }

  async toEnd<T>(script: Script<T>): Promise<T> {
    let broken = true
    try {
      if (this.#kind === 'snapshot') await this.#begin('snapshot')
      const result = await this.#steps(script)
      if (this.#began) await this.#committingWhile(async () => await this.#session.commit())
      broken = false
      return result
    } catch (error) {
      const lost = this.#isLost(error)
      if (!lost) broken = this.#began && !(await rolledBack(this.#session))
      throw this.#committed || (lost && this.#committing) ? new MayBeWritten('', { cause: error }) : error
    } finally {
      this.#session.release(broken)
    }
  }

  async #steps<T>(script: Script<T>): Promise<T> {
    let step = script.next()
    while (!step.done) step = script.next(await this.#answer(step.value))
    return step.value
  }

  async #answer(step: Step): Promise<Answer> {
    const run = async () => await this.#session.run(step)
    if (this.#kind === 'write' && !this.#began) {
      const alone = aloneOf(step)
      if (alone === 'writes') return await this.#committingWhile(run)
      if (alone === null) await this.#begin('write')
    }
    return await run()
  }

  async #begin(kind: 'write' | 'snapshot'): Promise<void> {
    await this.#session.begin(kind)
    this.#began = true
  }

  async #committingWhile<T>(commit: () => Promise<T>): Promise<T> {
    this.#committing = this.#kind === 'write'
    const answer = await commit()
    this.#committing = false
    this.#committed = this.#kind === 'write'
    return answer
  }
}

/** A script on one connection, in whatever transaction that is in. */
export async function runSteps<T>(session: Session, script: Script<T>): Promise<T> {
  let step = script.next()
  while (!step.done) step = script.next(await session.run(step.value))
  return step.value
}

export async function rolledBack(session: Session): Promise<boolean> {
  try {
    await session.rollback()
    return true
  } catch {
    // The connection is gone, and with it the transaction.
    return false
  }
}
