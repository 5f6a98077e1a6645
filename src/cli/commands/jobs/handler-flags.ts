/** `--http URL …` and `--command -- program args…`: a handler that needs no code, as flags. */
import type { Command } from 'commander'
import type { CreateJob } from '../../../app/job/jobs.ts'
import { EvertickError } from '../../../core/error.ts'
import {
  type Address,
  type HttpMethod,
  httpMethods,
  type SecretReference,
} from '../../../core/job/handler.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { choice, collect } from '../../help.ts'
import { onlyOne, strayFlag } from './flag-conflicts.ts'

export interface HandlerFlags {
  readonly handler?: string
  readonly http?: string
  readonly secretHttp?: string
  readonly method?: HttpMethod
  readonly header?: readonly string[]
  readonly secretHeader?: readonly string[]
  readonly body?: string
  readonly expect?: readonly string[]
  readonly command?: true
  readonly env?: readonly string[]
  readonly secretEnv?: readonly string[]
  readonly cwd?: string
  readonly checkIn?: Duration
  readonly early?: Duration
}

export function handlerFlags(command: Command): Command {
  return command
    .option('--handler <name>', 'the function to run (default: the job’s name)')
    .option('--http <url>', 'call this URL instead')
    .option('--secret-http <secret>', 'the same, where the URL is a secret of the vault')
    .addOption(
      choice(
        '--method <method>',
        'with --http: the method (default: POST with a body, else GET)',
        httpMethods,
      ),
    )
    .option('--header <name: value>', 'with --http: a header; can be repeated', collect)
    .option(
      '--secret-header <name: secret>',
      'with --http: a header whose value is a secret of the vault; can be repeated',
      collect,
    )
    .option('--body <text>', 'with --http: the body, sent as JSON if it is valid JSON, else as text')
    .option(
      '--expect <status>',
      'with --http: the expected status: 200, 2xx or 200-204; can be repeated',
      collect,
    )
    .option('--command', 'run the program after --, with its arguments')
    .option('--env <name=value>', 'with --command: an environment variable; can be repeated', collect)
    .option(
      '--secret-env <name=secret>',
      'with --command: a variable whose value is a secret of the vault; can be repeated',
      collect,
    )
    .option('--cwd <folder>', 'with --command: the folder to run in (default: /)')
    .option('--check-in <duration>', 'the job runs elsewhere: each tick waits so long for its check-in')
    .option('--early <duration>', 'with --check-in: how much too early one may come (default: 10s)')
}

/** undefined if no flag sets it. `argv` is what follows `--`. */
export function handlerOfFlags(flags: HandlerFlags, argv: readonly string[]): CreateJob['handler'] {
  const { handler, http, secretHttp, command, checkIn, early } = flags
  const ways = {
    '--handler': handler,
    '--http': http,
    '--secret-http': secretHttp,
    '--command': command,
    '--check-in': checkIn,
  }
  onlyOne(ways, 'handler', 'invalid_option')
  refuseStray(flags, argv)
  if (http !== undefined) return httpOf(http, flags)
  if (secretHttp !== undefined) return httpOf({ secret: secretHttp }, flags)
  if (checkIn !== undefined) {
    return { type: 'check_in', within: checkIn, ...(early === undefined ? {} : { early }) }
  }
  if (command === undefined) return handler
  const [program, ...args] = argv
  if (program === undefined)
    throw invalid('--command needs a program.', '--command', 'Put it after --, with its arguments.')
  return {
    type: 'command',
    command: program,
    args,
    ...valuesOf('env', '=', flags.env, flags.secretEnv),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
  }
}

function httpOf(
  url: Address,
  { method, header, secretHeader, body, expect }: HandlerFlags,
): CreateJob['handler'] {
  return {
    type: 'http',
    url,
    ...(method === undefined ? {} : { method }),
    ...valuesOf('headers', ':', header, secretHeader),
    ...(body === undefined ? {} : { body: bodyOf(body) }),
    ...(expect === undefined ? {} : { expect }),
  }
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Plain values and secrets by name, as one record; nothing where there is neither. */
function valuesOf<Name extends 'headers' | 'env'>(
  name: Name,
  sign: ':' | '=',
  plain: readonly string[] | undefined,
  secret: readonly string[] | undefined,
): { readonly [Key in Name]?: Readonly<Record<string, string | SecretReference>> } {
  if (plain === undefined && secret === undefined) return {}
  const flag = name === 'headers' ? '--header' : '--env'
  const named = Object.entries(pairs(secret ?? [], sign, flag.replace('--', '--secret-')))
  const values = {
    ...pairs(plain ?? [], sign, flag),
    ...Object.fromEntries(named.map(([key, given]) => [key, { secret: given.trim() }])),
  }
  return { [name]: values } as { [Key in Name]: typeof values }
}

function pairs(texts: readonly string[], sign: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign)
      // The text may be a secret, so the message does not repeat it.
      if (at < 1) throw invalid(`A ${flag} has no "${sign}".`, flag, `Write ${flag} 'name${sign}value'.`)
      const value = text.slice(at + 1)
      return [text.slice(0, at).trim(), sign === ':' ? value.trim() : value]
    }),
  )
}

function refuseStray(flags: HandlerFlags, argv: readonly string[]): void {
  const { method, header, secretHeader, body, expect, env, secretEnv, cwd, checkIn, early } = flags
  const stray = (flag: string, needs: string) => strayFlag(flag, needs, 'invalid_option')
  const ofCalls = { method, header, 'secret-header': secretHeader, body, expect }
  for (const [flag, value] of Object.entries(ofCalls)) {
    if (value !== undefined && (flags.http ?? flags.secretHttp) === undefined)
      throw stray(`--${flag}`, '--http')
  }
  for (const [flag, value] of Object.entries({ env, 'secret-env': secretEnv, cwd })) {
    if (value !== undefined && flags.command === undefined) throw stray(`--${flag}`, '--command')
  }
  if (early !== undefined && checkIn === undefined) throw stray('--early', '--check-in')
  if (argv.length > 0 && flags.command === undefined) throw stray(JSON.stringify(argv[0]), '--command')
}

function invalid(message: string, field: string, next: string): EvertickError {
  return new EvertickError('invalid_option', message, { field, next })
}
