/** The options of a job as flags, and flags back to options, both from the table of options. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CreateJob } from '../../../app/job/jobs.ts'
import { type PlacedField, placedFields } from '../../../core/job/fields.ts'
import { gatherOptions } from '../../../core/job/options-codec.ts'
import { phraseOf } from '../../../core/phrase.ts'
import type { Duration, Schedule } from '../../../core/schedule/schedule.ts'
import { keysOf } from '../../../core/table-keys.ts'
import { collect, jsonObject, jsonValue, wholeNumber } from '../../help.ts'
import { onlyOne, strayFlag } from './flag-conflicts.ts'
import type { HandlerFlags } from './handler-flags.ts'

export interface JobFlags extends HandlerFlags {
  readonly cron?: string
  readonly tz?: string
  readonly every?: string
  readonly anchor?: string
  readonly fixedDelay?: string
  readonly at?: string
  readonly input?: unknown
}

export function addJobFlags(command: Command): Command {
  command
    .option('--cron <expression>', 'run on a cron schedule, such as "0 9 * * 1-5"')
    .option('--tz <zone>', 'the time zone of the cron (default: the configured one, else UTC)')
    .option('--every <duration>', 'run at an interval, such as 15m')
    .option('--anchor <instant>', 'count the interval from this instant; `epoch` aligns it to the clock')
    .option('--fixed-delay <duration>', 'run this long after the previous run ends')
    .option('--at <instant>', 'run once, such as 2027-01-01T00:00:00Z')
    .option('--input <json>', 'the input for the handler', jsonValue)
  for (const placed of placedFields) command.addOption(flagOf(placed))
  return command
}

/** Durations and instants stay text: the library parses them, and its error names the field. */
function flagOf({ field }: PlacedField): Option {
  const words = phraseOf(field.line)
  const option = (value: string) => new Option(`${field.flag} <${value}>`, words)
  switch (field.is) {
    case 'choice':
      return option('policy').choices(keysOf(field.of))
    case 'whole':
      return option('n').argParser(wholeNumber(field.min, field.max))
    case 'number':
      return option('n').argParser(numberBetween(field.min, field.max))
    case 'texts':
      return new Option(`${field.flag} <text>`, `${words}; can be repeated`).argParser(collect)
    case 'object':
      return option('json').argParser(jsonObject)
    default:
      return option(field.is)
  }
}

function numberBetween(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (value.trim() !== '' && number >= least && number <= most) return number
    throw new InvalidArgumentError(`Expected a number from ${least} to ${most}.`)
  }
}

export function optionsOfFlags(flags: JobFlags): Omit<CreateJob, 'name' | 'schedule' | 'handler'> {
  const given = flags as Readonly<Record<string, unknown>>
  return {
    ...(flags.input === undefined ? {} : { input: flags.input }),
    ...gatherOptions(({ field }) => given[new Option(field.flag).attributeName()]),
  }
}

const duration = (text: string) => text as Duration

/** undefined if no flag sets it. `known` is the schedule that an update starts from. */
export function scheduleOfFlags(flags: JobFlags, known: Schedule | null): Schedule | undefined {
  const { cron, tz, every, anchor, fixedDelay, at } = flags
  const kinds = { '--cron': cron, '--every': every, '--fixed-delay': fixedDelay, '--at': at }
  const given = onlyOne(kinds, 'schedule', 'invalid_schedule')
  const written = cron ?? (known !== null && 'cron' in known && given === undefined ? known.cron : undefined)
  if (tz !== undefined && written === undefined) throw strayFlag('--tz', '--cron', 'invalid_schedule')
  if (anchor !== undefined && every === undefined) throw strayFlag('--anchor', '--every', 'invalid_schedule')
  if (written !== undefined && (cron !== undefined || tz !== undefined)) {
    const timezone = tz ?? (known !== null && 'cron' in known ? known.timezone : undefined)
    return { cron: written, ...(timezone === undefined ? {} : { timezone }) }
  }
  if (every !== undefined) return { every: duration(every), ...(anchor === undefined ? {} : { anchor }) }
  if (fixedDelay !== undefined) return { fixedDelay: duration(fixedDelay) }
  return at === undefined ? undefined : { at }
}
