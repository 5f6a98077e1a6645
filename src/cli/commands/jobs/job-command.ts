/** A command of `jobs`, or its short form beside it. */
import type { Command } from 'commander'

export interface CommandForm {
  readonly name: string
  readonly hidden?: boolean
}

export function jobCommand(parent: Command, { name, hidden = false }: CommandForm, args: string): Command {
  return parent.command(`${name} ${args}`, { hidden })
}
