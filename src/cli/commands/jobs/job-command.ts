/** A command of `jobs`, or its hidden short form: `evertick add` for `evertick jobs create`. */
import type { Command } from 'commander'

export interface CommandForm {
  readonly name: string
  readonly hidden?: boolean
}

export function jobCommand(parent: Command, { name, hidden = false }: CommandForm, args: string): Command {
  return parent.command(`${name} ${args}`, { hidden })
}
