/** What may follow each command, read from the tree of commands, so that it is always up to date. */
import type { Command, Option } from 'commander'

export interface CompletedWord {
  readonly word: string
  readonly description: string
}

export interface CompletedCommand {
  /** `jobs pause`; empty for the program itself. */
  readonly path: string
  /** Subcommands and the choices of an argument. */
  readonly words: readonly CompletedWord[]
  readonly flags: readonly CompletedWord[]
  /** Flags that take a value, with its choices; none if it can be anything. */
  readonly values: readonly { readonly flag: string; readonly choices: readonly string[] }[]
}

export function wordsOf(program: Command): CompletedCommand[] {
  // Completes what the help shows; hidden short forms are in neither.
  const help = Object.assign(program.createHelp(), program.configureHelp())
  const visit = (command: Command, path: readonly string[]): CompletedCommand[] => {
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
    const below = help.visibleCommands(command).filter((each) => command.commands.includes(each))
    const own = {
      path: path.join(' '),
      words: [...below.map(commandWord), ...command.registeredArguments.flatMap(argumentWords)],
      flags: options.flatMap(flagWords),
      values: options.filter(takesValue).map(({ long, argChoices }) => ({
        flag: long ?? '',
        choices: argChoices ?? [],
      })),
    }
    return [
      own,
      ...below.flatMap((each) =>
        [each.name(), ...each.aliases()].flatMap((name) => visit(each, [...path, name])),
      ),
    ]
  }
  return visit(program, [])
}

function commandWord(command: Command): CompletedWord {
  return { word: command.name(), description: command.summary() || command.description() }
}

function argumentWords({ argChoices }: { argChoices?: readonly string[] }): CompletedWord[] {
  return (argChoices ?? []).map((word) => ({ word, description: '' }))
}

function flagWords({ long, description }: Option): CompletedWord[] {
  return long === undefined || long === null ? [] : [{ word: long, description }]
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}
