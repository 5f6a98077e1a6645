/** `--system` or `--user`: whether the lines of a crontab have a user before their command. */
import type { Command } from 'commander'

export interface FormatFlags {
  readonly system?: true
  readonly user?: true
}

export function formatOf(command: Command, { system, user }: FormatFlags): { format?: 'system' | 'user' } {
  if (system === true && user === true) command.error('error: --system and --user cannot be combined')
  if (system === true) return { format: 'system' }
  return user === true ? { format: 'user' } : {}
}
