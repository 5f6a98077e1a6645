/** A rule that did not hold. The first one ends its history. */
import type { Rule } from './rules.ts'

export class Violation extends Error {
  readonly rule: Rule
  /** What it is about, for the story: a job's name, where there is one. */
  readonly job: string | null

  constructor(rule: Rule, message: string, job: string | null = null) {
    super(message)
    this.name = 'Violation'
    this.rule = rule
    this.job = job
  }
}
