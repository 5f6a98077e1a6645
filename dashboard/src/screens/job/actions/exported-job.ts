/** A definition as text for elsewhere. */
import { type PlacedField, placedFields } from '../../../../../src/core/job/fields.ts'
import { optionAt } from '../../../../../src/core/job/options-codec.ts'
import { shellWord } from '../../../../../src/core/shell-word.ts'
import type { Definition } from '../definition.ts'

export function jsonOf(definition: Definition): string {
  return JSON.stringify(definition, null, 2)
}

type Flag = readonly [name: string, value: string | number | undefined]

/** `evertick jobs create` with all of it as flags. */
export function commandOf({ name, handler, ...options }: Definition): string {
  const schedule = (options['schedule'] ?? {}) as Readonly<Record<string, string>>
  if (handler.type === 'source')
    return `# A source stands in a file:\nnpx evertick export yaml ${shellWord(name)} > source.yaml`
  const flags: Flag[] = [
    ['--cron', schedule['cron']],
    ['--tz', schedule['timezone']],
    ['--every', schedule['every']],
    ['--anchor', schedule['anchor']],
    ['--fixed-delay', schedule['fixedDelay']],
    ['--at', schedule['at']],
    ...handlerFlags(name, handler),
    ...placedFields.flatMap((placed) => flagsOf(placed, options)),
  ]
  const written = flags.flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${shellWord(String(value))}`],
  )
  const program =
    handler.type === 'command'
      ? [`--command -- ${[handler.command, ...(handler.args ?? [])].map(shellWord).join(' ')}`]
      : []
  return [`npx evertick jobs create ${shellWord(name)}`, ...written, ...program].join(' \\\n  ')
}

function flagsOf(placed: PlacedField, options: Readonly<Record<string, unknown>>): Flag[] {
  const { field } = placed
  const value = optionAt(options, placed)
  if (value === undefined) return []
  if (field.is === 'texts') return (value as readonly string[]).map((text) => [field.flag, text])
  return [[field.flag, field.is === 'object' ? JSON.stringify(value) : (value as string | number)]]
}

function handlerFlags(job: string, handler: Definition['handler']): Flag[] {
  if (handler.type === 'function') return handler.name === job ? [] : [['--handler', handler.name]]
  if (handler.type === 'check_in')
    return [
      ['--check-in', String(handler.within)],
      ['--early', handler.early === undefined ? undefined : String(handler.early)],
    ]
  if (handler.type === 'command' || handler.type === 'source' || handler.type === 'webhook') return []
  const { url, method, headers = {}, body } = handler
  return [
    typeof url === 'string' ? ['--http', url] : ['--secret-http', url.secret],
    ['--method', method],
    ...Object.entries(headers).map(
      ([key, value]): Flag =>
        typeof value === 'string'
          ? ['--header', `${key}: ${value}`]
          : ['--secret-header', `${key}: ${value.secret}`],
    ),
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
