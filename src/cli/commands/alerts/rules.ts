/** `evertick alerts rules`: list, set and delete. */
import type { Command } from 'commander'
import type { RuleOptions, RuleView } from '../../../app/alerts/rule-options.ts'
import { alertKindNames, severities, untilResumed } from '../../../core/alert/alert-rule.ts'
import { EvertickError } from '../../../core/error.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { choice, collect, examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'

interface SetFlags {
  readonly kind?: RuleOptions['kind']
  readonly on?: true
  readonly off?: true
  readonly severity?: RuleOptions['severity']
  readonly param?: readonly string[]
  readonly job?: readonly string[]
  readonly tag?: readonly string[]
  readonly allJobs?: true
  readonly for?: Duration
  readonly repeat?: string
  readonly quiet?: string
  readonly timezone?: string
  readonly pause?: string
}

export function addRules(group: Command, cli: Cli): void {
  const rules = group
    .command('rules')
    .summary('list, set and delete the rules of alerts')
    .description('Manages the rules of alerts. A few are built in; each can be changed or switched off.')
  const list = rules
    .command('list')
    .description('Lists the rules.')
    .action(() =>
      withEvertick(cli, list, async ({ evertick, terminal }) => {
        const found = await evertick.alerts.rules.list()
        terminal.answer({ rules: found }, (out) =>
          writeTable(
            out,
            ['RULE', 'KIND', { title: 'WHEN', shrinks: true }, 'JOBS', 'ACTION', 'STATE'],
            found.map((rule) => [
              plainText(rule.name),
              rule.kind,
              paramText(rule),
              plainText(jobsText(rule)),
              actionText(rule),
              rule.enabled ? out.paint('ran', 'on') : out.paint('skipped', 'off'),
            ]),
          ),
        )
      }),
    )
  examples(list, [['alerts rules list']])
  addSet(rules, cli)
  const remove = rules
    .command('delete <name>')
    .description('Deletes a rule and ends its alerts. A built-in rule is again as it came.')
    .action((name: string) =>
      withEvertick(cli, remove, async ({ evertick, terminal, actor }) => {
        await evertick.alerts.rules.delete(name, { actor })
        terminal.report({ deleted: name }, `Deleted the rule "${plainText(name)}".`)
      }),
    )
  examples(remove, [['alerts rules delete billing-fails']])
}

function addSet(rules: Command, cli: Cli): void {
  const command = rules
    .command('set <name>')
    .description('Writes a rule: a new one, or what is given over the one of that name.')
    .addOption(choice('--kind <kind>', 'what it watches; a new rule needs one', alertKindNames))
    .option('--on', 'switch it on')
    .option('--off', 'switch it off, and end its alerts')
    .addOption(choice('--severity <severity>', 'how bad it is', severities))
    .option('--param <name=value>', 'a parameter of its kind, such as runs=5; can be repeated', collect)
    .option('--job <name>', 'only this job; * stands for anything; can be repeated', collect)
    .option('--tag <tag>', 'only jobs with this tag; can be repeated', collect)
    .option('--all-jobs', 'all jobs again')
    .option('--for <duration>', 'how long it must hold before the alert opens')
    .option('--repeat <duration>', 'how often it is told again, or never')
    .option('--quiet <hours>', 'when nothing is told of it, such as 22:00-07:00, or never')
    .option('--timezone <zone>', 'the time zone of the quiet hours')
    .option('--pause <duration>', 'also pause the job: for a time, until-resumed, or never')
    .action((name: string, flags: SetFlags) =>
      withEvertick(cli, command, async ({ evertick, terminal, actor }) => {
        const rule = await evertick.alerts.rules.put(ruleOf(name, flags), { actor })
        const state = rule.enabled ? '' : ' It is off.'
        terminal.report(
          rule,
          `The rule "${plainText(rule.name)}" is ${rule.kind} ${paramText(rule)}.${state}`,
        )
      }),
    )
  examples(command, [
    ['alerts rules set late --off', 'switch a built-in rule off'],
    [
      'alerts rules set billing-fails --kind failing --param runs=5 --tag billing --pause 30m',
      'a circuit breaker',
    ],
    ['alerts rules set backups --kind silent --param within=25h --job "backup-*" --repeat 6h'],
  ])
}

const never = 'never'

function ruleOf(name: string, flags: SetFlags): RuleOptions {
  const { kind, severity, param, job, tag, repeat, quiet, timezone, pause } = flags
  if (flags.on === true && flags.off === true)
    throw new EvertickError('invalid_option', '--on and --off contradict each other.', {
      field: '--on',
      next: 'Give one of them.',
    })
  const jobs = job === undefined && tag === undefined ? undefined : { names: job ?? [], tags: tag ?? [] }
  return {
    name,
    ...(kind === undefined ? {} : { kind }),
    ...(flags.on === true ? { enabled: true } : {}),
    ...(flags.off === true ? { enabled: false } : {}),
    ...(severity === undefined ? {} : { severity }),
    ...(param === undefined ? {} : { params: Object.fromEntries(param.map(parameter)) }),
    ...(jobs === undefined ? {} : { jobs }),
    ...(flags.allJobs === true ? { jobs: null } : {}),
    ...(flags.for === undefined ? {} : { for: flags.for }),
    ...(repeat === undefined ? {} : { repeat: repeat === never ? null : (repeat as Duration) }),
    ...(quiet === undefined ? {} : { quiet: quiet === never ? null : hoursOf(quiet, timezone) }),
    ...(pause === undefined ? {} : { action: pause === never ? null : { pause: pauseOf(pause) } }),
  }
}

/** Numbers as numbers: everything else is for the rule to check. */
function parameter(written: string): [string, string | number] {
  const at = written.indexOf('=')
  if (at < 1)
    throw new EvertickError('invalid_option', `--param ${written} has no "=".`, {
      field: '--param',
      next: 'Give a name and a value: --param runs=5.',
    })
  const value = written.slice(at + 1)
  return [written.slice(0, at), /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value]
}

function hoursOf(written: string, timezone: string | undefined): NonNullable<RuleOptions['quiet']> {
  const [from = '', to = ''] = written.split('-')
  return { from, to, ...(timezone === undefined ? {} : { timezone }) }
}

function pauseOf(written: string): Duration | typeof untilResumed {
  return written === 'until-resumed' ? untilResumed : (written as Duration)
}

function paramText({ params, for: held }: RuleView): string {
  const words = Object.entries(params).map(([name, value]) => `${name}=${value}`)
  return [...words, ...(held === '0ms' ? [] : [`for ${held}`])].join(' ')
}

function jobsText({ jobs }: RuleView): string {
  return jobs === null ? 'all' : [...jobs.names, ...jobs.tags.map((tag) => `#${tag}`)].join(', ')
}

function actionText({ action }: RuleView): string {
  return action === null ? '' : `pause ${action.pause}`
}
