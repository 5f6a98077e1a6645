/**
 * What a command finds around it: a fixed few variables, what the execution is, and the job's own. Nothing of this
 * process's environment, where secrets stand.
 */
import { userInfo } from 'node:os'

/** Variables that change which code runs: loaders, interpreters, shells, tools that call others. Ours are no job's. */
const refused =
  /^(?:PATH|IFS|ENV|BASH_.*|BASHOPTS|SHELLOPTS|SHELL|PS\d|PROMPT_COMMAND|CDPATH|GLOBIGNORE|HOME|ZDOTDIR|FPATH|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|NODE_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|TCLLIBPATH|CLASSPATH|.*JAVA_.*OPTIONS|JAVA_HOME|DOTNET_.*|COR_.*|CORECLR_.*|GIT_.*|SSH_.*|SUDO_.*|EDITOR|VISUAL|PAGER|LESS.*|MANPAGER|BROWSER|CURL_.*|WGETRC|OPENSSL_.*|SSLKEYLOGFILE|R_.*|EVERTICK_.*)$/i

export function refusedVariable(name: string): boolean {
  return refused.test(name)
}

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
