/** Which programs this node may run: what each path led to at the start is what it may lead to later. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { EvertickError } from '../core/error.ts'

export interface AllowedCommand {
  /** As the list and the job write it. */
  readonly path: string
  /** The file itself, behind all links. */
  readonly file: string
}

export function allowedCommands(paths: readonly string[]): AllowedCommand[] {
  if (paths.length > 0 && process.platform === 'win32') {
    throw new EvertickError('invalid_config', 'Commands do not run on Windows: it has no process groups.', {
      field: 'allowCommands',
      next: 'Leave EVERTICK_ALLOW_COMMANDS and allowCommands out.',
    })
  }
  return paths.map((path) => ({ path, file: executable(path) }))
}

/** A link that was changed since must not allow another file. */
export async function recheck({ path, file }: AllowedCommand): Promise<void> {
  const now = await realpath(path).catch(() => null)
  if (now === file) return
  throw new EvertickError('execution_failed', `${path} is no longer the file that this node allowed.`, {
    next: 'If this is intended, restart the node.',
  })
}

function executable(path: string): string {
  try {
    const file = realpathSync(path)
    accessSync(file, constants.X_OK)
    if (statSync(file).isFile()) return file
  } catch (error) {
    throw notExecutable(path, error)
  }
  throw notExecutable(path)
}

function notExecutable(path: string, cause?: unknown): EvertickError {
  return new EvertickError(
    'invalid_config',
    `${path} is allowed as a command, but is not an executable file.`,
    {
      field: 'allowCommands',
      next: 'Correct EVERTICK_ALLOW_COMMANDS or allowCommands.',
      ...(cause === undefined ? {} : { cause }),
    },
  )
}
