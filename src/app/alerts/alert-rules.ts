/** `evertick.alerts.rules`: those that are built in, and those that somebody wrote over them or beside them. */

import { isBuiltInRule, rulesOver } from '../../core/alert/alert-rule.ts'
import { EvertickError } from '../../core/error.ts'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { alertRule, type RuleOptions, type RuleView, ruleView } from './rule-options.ts'

const mostRules = 200

export class AlertRules {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** By name. */
  async list(): Promise<RuleView[]> {
    const written = await this.#app.store.alerts.listAlertRules()
    const changes = new Map(written.map(({ rule, ...change }) => [rule.name, change]))
    return rulesOver(written.map(({ rule }) => rule)).map((rule) => {
      const change = changes.get(rule.name)
      return ruleView(rule, {
        builtIn: isBuiltInRule(rule.name),
        changedBy: change?.changedBy ?? null,
        changedAt: change === undefined ? null : new Date(change.changedAt),
      })
    })
  }

  async get(name: string): Promise<RuleView> {
    const rules = await this.list()
    const found = rules.find((rule) => rule.name === name)
    if (found !== undefined) return found
    throw notFound(
      name,
      rules.map((rule) => rule.name),
    )
  }

  /** Writes a rule: a new one, or what is given over the one of that name. It holds from the next look on. */
  async put(options: RuleOptions, by: ActorOptions = {}): Promise<RuleView> {
    const { store, timezone } = this.#app
    const written = (await store.alerts.listAlertRules()).map(({ rule }) => rule)
    const before = rulesOver(written).find((rule) => rule.name === options.name) ?? null
    const rule = alertRule(options, before, timezone)
    if (before === null && written.length >= mostRules)
      throw new EvertickError('invalid_option', `There are ${mostRules} rules already.`, {
        next: 'Delete one that is no longer needed, or give one more jobs.',
      })
    await store.alerts.putAlertRule(rule, changeContext(this.#app, by))
    return await this.get(rule.name)
  }

  /** A built-in rule that was changed is again as it came; to be rid of it, switch it off. */
  async delete(name: string, by: ActorOptions = {}): Promise<void> {
    if (await this.#app.store.alerts.deleteAlertRule(name, changeContext(this.#app, by))) return
    if (isBuiltInRule(name))
      throw new EvertickError('invalid_option', `The rule "${name}" is built in, and as it came.`, {
        field: 'name',
        next: `Switch it off: \`evertick alerts rules set ${shellWord(name)} --off\`.`,
      })
    throw notFound(
      name,
      (await this.list()).map((rule) => rule.name),
    )
  }
}

function notFound(name: string, names: readonly string[]): EvertickError {
  const near = didYouMean(name, names)
  return new EvertickError('alert_rule_not_found', `No rule of alerts is named "${name}".`, {
    field: 'name',
    next: near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
