/** The command line of the simulation: words in, a checked request out. */
import { parseArgs } from 'node:util'
import { didYouMean } from '../../../src/core/schedule/did-you-mean.ts'
import { type Mode, modes } from '../plan/plan.ts'

export interface Options {
  /** How many seeds, from `from` on. */
  readonly seeds: number
  readonly from: number
  readonly mode: Mode
  /** One history only. */
  readonly seed: number | null
  /** One history only, from a file. */
  readonly plan: string | null
  readonly trace: boolean
  readonly json: boolean
  /** How many processes; null leaves it to the machine. */
  readonly workers: number | null
  /** Title of the regression to be kept. */
  readonly keep: string | null
  readonly bug: string | null
  readonly bugs: boolean
  readonly help: boolean
}

/** What was asked for is not possible, and what to do instead. */
export class UsageError extends Error {
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.name = 'UsageError'
    this.next = next
  }
}

export const helpText = `Simulates clusters from seeds: virtual time, faults, operators, and the rules checked at each commit.

  npm run simulate -- [options]

  --seeds N       how many seeds (default 200)
  --from S        the first of them (default 1)
  --mode MODE     safety (default), liveness or soak
  --workers K     how many processes (default: one per core, at most 8)
  --json          a JSON object as the last line

  --seed S        one seed only; where it fails, it is made smaller and told as a story
  --plan FILE     one history only: a regression's file, or a plan's
  --trace         with --seed or --plan: everything that happens
  --keep TITLE    with --seed, or --plan of a story: keeps it in test/simulation/regressions

  --bug NAME      with a planted bug
  --bugs          searches --seeds seeds for each planted bug
  --help          this text

Ends with 0, or 1 where a rule was broken (with --bugs: where a bug was not caught), or 2 where it was called wrongly.`

const known = {
  seeds: { type: 'string' },
  from: { type: 'string' },
  mode: { type: 'string' },
  seed: { type: 'string' },
  plan: { type: 'string' },
  trace: { type: 'boolean' },
  json: { type: 'boolean' },
  workers: { type: 'string' },
  keep: { type: 'string' },
  bug: { type: 'string' },
  bugs: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const largest = 1_000_000_000

export function parseOptions(args: readonly string[]): Options {
  const given = parsed(args)
  const options: Options = {
    seeds: wholeNumber('seeds', given.seeds, 1) ?? 200,
    from: wholeNumber('from', given.from, 0) ?? 1,
    mode: modeOf(given.mode ?? 'safety'),
    seed: wholeNumber('seed', given.seed, 0),
    plan: given.plan ?? null,
    trace: given.trace ?? false,
    json: given.json ?? false,
    workers: wholeNumber('workers', given.workers, 1),
    keep: given.keep ?? null,
    bug: given.bug ?? null,
    bugs: given.bugs ?? false,
    help: given.help ?? false,
  }
  refuseContradictions(options, given)
  return options
}

type Given = ReturnType<typeof parseArgs<{ options: typeof known }>>['values']

function parsed(args: readonly string[]): Given {
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: false }).values
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const name = /'(--?[^' =]+)/.exec(message)?.[1]?.replace(/^-+/, '') ?? ''
    switch (code) {
      case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
        const meant = didYouMean(name, Object.keys(known))
        const next = meant === undefined ? 'See --help for all options.' : `Did you mean --${meant}?`
        throw new UsageError(`There is no option --${name}.`, next)
      }
      case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
        throw new UsageError(message.split('. ')[0] ?? message, 'Options begin with --, such as --seeds 200.')
      default:
        throw new UsageError(message.split('\n')[0] ?? message, 'See --help.')
    }
  }
}

function wholeNumber(name: string, text: string | undefined, min: number): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= largest) return value
  throw new UsageError(
    `--${name} ${text} is not a whole number from ${min} to ${largest.toLocaleString('en')}.`,
    `Say, for example, --${name} ${name === 'workers' ? 2 : 200}.`,
  )
}

function modeOf(text: string): Mode {
  const found = modes.find((mode) => mode === text)
  if (found !== undefined) return found
  throw new UsageError(`There is no mode ${text}.`, `Choose one of ${modes.join(', ')}.`)
}

function refuseContradictions(options: Options, given: Given): void {
  const one = options.seed !== null || options.plan !== null
  if (options.seed !== null && options.plan !== null)
    throw new UsageError('--seed and --plan each name one history.', 'Leave one of them out.')
  if (one && (given.seeds !== undefined || given.from !== undefined))
    throw new UsageError('One history, or many?', 'Use --seed S, or --seeds N with --from S.')
  if (options.trace && !one) throw new UsageError('--trace shows one history.', 'Name it: --seed S --trace.')
  if (options.keep !== null && !one)
    throw new UsageError('--keep keeps one history.', 'Name it: --seed S --keep TITLE.')
  if (options.keep !== null && options.keep.trim() === '')
    throw new UsageError('--keep needs a title.', "Say what broke: --keep 'a pause is forgotten'.")
  if (options.bugs && (one || options.bug !== null))
    throw new UsageError('--bugs goes through all planted bugs.', 'Use --bug NAME for one of them.')
  if (options.keep !== null && options.bug !== null)
    throw new UsageError('A planted bug is no regression.', 'Leave out --bug or --keep.')
}
