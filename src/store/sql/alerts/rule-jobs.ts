/** Which jobs a rule is about, as a condition on `@jobs j`. */
import type { AlertRule } from '../../../core/alert/alert-rule.ts'
import type { Param } from '../runtime/script.ts'
import { likeText } from '../runtime/where.ts'

export interface RuleCondition {
  /** Begins with AND, or is empty. */
  readonly text: string
  readonly params: readonly Param[]
}

export function ofRuleJobs({ jobs }: Pick<AlertRule, 'jobs'>): RuleCondition {
  if (jobs === null) return { text: '', params: [] }
  const plain = jobs.names.filter((name) => !name.includes('*'))
  const patterns = jobs.names.filter((name) => name.includes('*'))
  const any: { text: string; param: Param }[] = [
    ...(plain.length > 0 ? [{ text: 'j.name IN ?*', param: plain }] : []),
    ...patterns.map((pattern) => ({
      text: `j.name LIKE ? ESCAPE '!'`,
      param: pattern.split('*').map(likeText).join('%'),
    })),
    ...(jobs.tags.length > 0
      ? [{ text: 'j.id IN (SELECT t.job_id FROM @job_tags t WHERE t.tag IN ?*)', param: jobs.tags }]
      : []),
  ]
  if (any.length === 0) return { text: '', params: [] }
  return {
    text: ` AND (${any.map(({ text }) => text).join(' OR ')})`,
    params: any.map(({ param }) => param),
  }
}
