/** A definition as text for elsewhere. */
import type { Definition } from '../definition.ts'

export function jsonOf(definition: Definition): string {
  return JSON.stringify(definition, null, 2)
}

type Flag = readonly [name: string, value: string | number | undefined]

/** The options of a definition that have a flag. */
interface Flagged {
  readonly schedule?: {
    readonly [Part in 'cron' | 'timezone' | 'every' | 'anchor' | 'fixedDelay' | 'at']?: string
  }
  readonly catchUp?: {
    readonly policy?: string
    readonly maxMissedRuns?: number
    readonly window?: string
    readonly grace?: string
  }
  readonly overlap?: string
  readonly maxConcurrent?: number
  readonly retry?: { readonly attempts?: number }
  readonly timeout?: string
  readonly startDeadline?: string
  readonly queue?: string
  readonly priority?: number
  readonly description?: string
  readonly tags?: readonly string[]
  readonly metadata?: object
}

/** `evertick jobs create` with the flags that there are; what has none is left to the JSON. */
export function commandOf({ name, handler, ...options }: Definition): string {
  const { schedule, catchUp, retry, tags = [], metadata, ...plain }: Flagged = options
  const flags: Flag[] = [
    ['--cron', schedule?.cron],
    ['--tz', schedule?.timezone],
    ['--every', schedule?.every],
    ['--anchor', schedule?.anchor],
    ['--fixed-delay', schedule?.fixedDelay],
    ['--at', schedule?.at],
    ...handlerFlags(name, handler),
    ['--catch-up', catchUp?.policy],
    ['--max-missed-runs', catchUp?.maxMissedRuns],
    ['--catch-up-window', catchUp?.window],
    ['--grace', catchUp?.grace],
    ['--overlap', plain.overlap],
    ['--max-concurrent', plain.maxConcurrent],
    ['--attempts', retry?.attempts],
    ['--timeout', plain.timeout],
    ['--start-deadline', plain.startDeadline],
    ['--queue', plain.queue],
    ['--priority', plain.priority],
    ['--description', plain.description],
    ...tags.map((tag): Flag => ['--tag', tag]),
    ['--metadata', metadata === undefined ? undefined : JSON.stringify(metadata)],
  ]
  const written = flags.flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${quoted(String(value))}`],
  )
  const program =
    handler.type === 'command'
      ? [`--command -- ${[handler.command, ...(handler.args ?? [])].map(quoted).join(' ')}`]
      : []
  return [`npx evertick jobs create ${quoted(name)}`, ...written, ...program].join(' \\\n  ')
}

function handlerFlags(job: string, handler: Definition['handler']): Flag[] {
  if (handler.type === 'function') return handler.name === job ? [] : [['--handler', handler.name]]
  if (handler.type === 'command') return []
  const { url, method, headers = {}, body } = handler
  return [
    ['--http', url],
    ['--method', method],
    ...Object.entries(headers).map(([key, value]): Flag => ['--header', `${key}: ${value}`]),
    ['--body', body === undefined || typeof body === 'string' ? body : JSON.stringify(body)],
  ]
}

export function codeOf({ name, handler, ...options }: Definition): string {
  const isFunction = handler.type === 'function'
  const definition = { name, ...(isFunction ? {} : { handler }), ...options }
  const body = objectText(definition, 2).slice(0, -2)
  const run = isFunction ? '\n  run: async (ctx) => {\n    // …\n  },' : ''
  return `import { defineJob } from 'evertick'\n\nexport const job = defineJob(${body}${run}\n})\n`
}

/** As a person would write it in a file of code. */
function objectText(value: unknown, indent: number): string {
  const json = JSON.stringify(value, null, indent)
  return json
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll(/([^\s{[,])\n/g, '$1,\n')
    .replaceAll(/"((?:[^"\\'\n]|\\[\\/])*)"/g, "'$1'")
}

function quoted(word: string): string {
  return /^[\w.:/@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
