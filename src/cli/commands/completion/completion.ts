/** `evertick completion`: a script that completes commands, flags and their values in a shell. */
import { Argument, type Command } from 'commander'
import { examples } from '../../help.ts'
import type { Cli } from '../../session.ts'
import { completionScript, shells } from './script.ts'
import { wordsOf } from './words.ts'

export function addCompletion(program: Command, cli: Cli): void {
  const command = program
    .command('completion')
    .summary('complete commands and flags in your shell')
    .description(
      'Prints a script that completes commands, flags and their values. Load it when your shell starts.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .action((shell: (typeof shells)[number]) => {
      const script = completionScript(shell, wordsOf(program))
      cli.terminal.answer({ shell, script }, (out) => out.writeText(script))
    })
  examples(command, [
    ['completion bash > /etc/bash_completion.d/evertick'],
    ['completion zsh > "${fpath[1]}/_evertick"'],
    ['completion fish > ~/.config/fish/completions/evertick.fish'],
  ])
}
