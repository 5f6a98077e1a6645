// Which steps of the campaign have passed with the code as it is: a run that was cut off goes on after them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './run-command.ts'

const file = join(root, 'node_modules', '.cache', 'evertick-campaign.json')

export class CampaignProgress {
  readonly #code = fingerprint()
  readonly #done: Set<string>

  constructor() {
    this.#done = new Set(this.#read())
  }

  isDone(step: string): boolean {
    return this.#done.has(step)
  }

  done(step: string): void {
    this.#done.add(step)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify({ code: this.#code, done: [...this.#done] }))
  }

  /** All of it has passed: the next campaign begins anew. */
  forget(): void {
    rmSync(file, { force: true })
  }

  #read(): string[] {
    try {
      const { code, done } = JSON.parse(readFileSync(file, 'utf8')) as { code: string; done: string[] }
      return code === this.#code ? done : []
    } catch {
      // None yet, or cut off while it was written: the steps run again.
      return []
    }
  }
}

/** Of the last commit, and of what has changed since. */
function fingerprint(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 1 << 28 })
  return createHash('sha256').update(git('rev-parse', 'HEAD')).update(git('diff', 'HEAD')).digest('hex')
}
