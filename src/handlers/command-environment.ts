/**
 * What a command finds around it: a fixed few variables, what the execution is, and of the job's own those that the node
 * lets a job set. Nothing of this process's environment, where secrets stand.
 */
import { userInfo } from 'node:os'
import { EvertickError } from '../core/error.ts'

/**
 * Variables that change which code runs: loaders, interpreters, shells, tools that call others. Ours are no job's. No list
 * of ours is ever whole, which is why a node names what a job may set; these it cannot name.
 */
const never =
  /^(?:PATH|IFS|ENV|BASH_.*|BASHOPTS|SHELLOPTS|SHELL|PS\d|PROMPT_COMMAND|CDPATH|GLOBIGNORE|HOME|ZDOTDIR|FPATH|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|NODE_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|TCLLIBPATH|CLASSPATH|.*JAVA_.*OPTIONS|JAVA_HOME|DOTNET_.*|COR_.*|CORECLR_.*|GIT_.*|.*_RSH|RSYNC_.*|TAR_OPTIONS|ZIPOPT|.*MAKEFLAGS|SSH_.*|SUDO_.*|(?:.*_)?EDITOR|VISUAL|(?:.*_|MAN)?PAGER|LESS.*|BROWSER|CURL_.*|WGETRC|OPENSSL_.*|SSLKEYLOGFILE|R_.*|EVERTICK_.*)$/i

/** The names of a node's list, once they are checked. */
export function allowedVariables(names: readonly string[]): readonly string[] {
  for (const name of names) {
    const why = !isVariableName(name)
      ? `${JSON.stringify(name)} is not a valid variable name.`
      : never.test(name)
        ? `No job may set ${name}: it changes which code a program runs, or belongs to Evertick.`
        : null
    if (why === null) continue
    throw new EvertickError('invalid_config', why, {
      field: 'allowCommandEnv',
      next: 'Remove it from EVERTICK_ALLOW_COMMAND_ENV or allowCommandEnv.',
    })
  }
  return names
}

export function isVariableName(name: string): boolean {
  return /^[A-Za-z_]\w{0,99}$/.test(name)
}

/** The first variable that the node does not allow. */
export function refusedVariable(names: readonly string[], allowed: readonly string[]): string | null {
  return names.find((name) => !allowed.includes(name)) ?? null
}

export const allowVariable =
  'Add it to EVERTICK_ALLOW_COMMAND_ENV or allowCommandEnv on this node and on the workers, or leave it out.'

const fixed = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
} as const

/** One variable must leave room for the others; the whole input is on standard input anyhow. */
const longestInput = 32_768

export interface ExecutionFacts {
  readonly job: string
  readonly executionId: string
  readonly scheduledFor: Date
  readonly attempt: number
  readonly idempotencyKey: string
  /** The input as JSON; null where there is none. */
  readonly input: string | null
}

export function commandEnvironment(
  own: Readonly<Record<string, string>>,
  facts: ExecutionFacts,
): Record<string, string> {
  const { input } = facts
  return {
    ...fixed,
    HOME: homeFolder(),
    ...own,
    EVERTICK_JOB: facts.job,
    EVERTICK_EXECUTION_ID: facts.executionId,
    EVERTICK_SCHEDULED_FOR: facts.scheduledFor.toISOString(),
    EVERTICK_ATTEMPT: String(facts.attempt),
    EVERTICK_IDEMPOTENCY_KEY: facts.idempotencyKey,
    ...(input === null || input.length > longestInput ? {} : { EVERTICK_INPUT: input }),
  }
}

/** By the system's list of users: a variable could be anything, and a container's user may not be listed. */
function homeFolder(): string {
  try {
    return userInfo().homedir
  } catch {
    return '/'
  }
}
