/** The scripts for the three shells. Each finds the command in the words before the cursor, and looks up what may follow. */
import type { CompletedCommand, CompletedWord } from './words.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands)
    case 'zsh':
      return zshScript(commands)
    case 'fish':
      return fishScript(commands)
  }
}

/** In single quotes, for any of the shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function joined(words: readonly CompletedWord[]): string {
  return words.map(({ word }) => word).join(' ')
}

/** One table for bash and zsh: the words after a command, its flags, and the values of a flag. */
function tables(commands: readonly CompletedCommand[]): string {
  const words = commands.map(({ path, words }) => `    ${quoted(path)}) echo ${quoted(joined(words))} ;;`)
  const flags = commands.map(({ path, flags }) => `    ${quoted(path)}) echo ${quoted(joined(flags))} ;;`)
  const values = commands.flatMap(({ path, values }) =>
    values.map(
      ({ flag, choices }) => `    ${quoted(`${path} ${flag}`.trim())}) echo ${quoted(choices.join(' '))} ;;`,
    ),
  )
  return `_evertick_words() {
  case "$1" in
${words.join('\n')}
  esac
}
_evertick_flags() {
  case "$1" in
${flags.join('\n')}
  esac
}
# Fails for a flag that takes no value.
_evertick_values() {
  case "$1" in
${values.join('\n')}
    *) return 1 ;;
  esac
}
# Prints what may follow the given words.
_evertick_next() {
  local at='' word flag=''
  for word in "$@"; do
    if [ -n "$flag" ]; then flag=''; continue; fi
    case "$word" in
      --*=*) ;;
      --*) if _evertick_values "\${at:+$at }$word" >/dev/null; then flag="$word"; fi ;;
      -*) ;;
      *)
        case " $(_evertick_words "$at") " in
          *" $word "*) at="\${at:+$at }$word" ;;
          *) if [ -n "$(_evertick_flags "\${at:+$at }$word")" ]; then at="\${at:+$at }$word"; fi ;;
        esac ;;
    esac
  done
  if [ -n "$flag" ]; then _evertick_values "\${at:+$at }$flag"; return; fi
  echo "$(_evertick_words "$at") $(_evertick_flags "$at")"
}
`
}

function bashScript(commands: readonly CompletedCommand[]): string {
  return `# bash completion of evertick: source it, or put it into /etc/bash_completion.d
${tables(commands)}
_evertick() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(_evertick_next "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "$current"))
}
complete -o default -F _evertick evertick
`
}

function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef evertick
# zsh completion of evertick: put it into a folder of $fpath as _evertick
${tables(commands)}
_evertick() {
  local -a candidates
  candidates=(\${=$(_evertick_next "\${(@)words[2,CURRENT-1]}")})
  compadd -- $candidates || _files
}
# Also works if it was sourced rather than autoloaded.
if [ "$funcstack[1]" = "_evertick" ]; then _evertick "$@"; else compdef _evertick evertick; fi
`
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, words, flags, values }) => {
    const at = `complete -c evertick -n ${quoted(`__evertick_at ${quotedPath(path)}`)}`
    const described = (text: string) => (text === '' ? '' : ` -d ${quoted(text)}`)
    return [
      ...words.map(({ word, description }) => `${at} -f -a ${quoted(word)}${described(description)}`),
      ...flags.map(({ word, description }) => {
        const taken = values.find(({ flag }) => flag === word)
        const value =
          taken === undefined
            ? ''
            : taken.choices.length === 0
              ? ' -r'
              : ` -x -a ${quoted(taken.choices.join(' '))}`
        return `${at} -l ${word.slice(2)}${value}${described(description)}`
      }),
    ]
  })
  const known = commands.map(({ path }) => quoted(path)).join(' ')
  const valued = new Set(commands.flatMap(({ values }) => values.map(({ flag }) => flag)))
  return `# fish completion of evertick: put it into ~/.config/fish/completions
# True if the words before the cursor name exactly this command.
function __evertick_at
    set -l path ''
    set -l skip no
    for word in (commandline -opc)[2..]
        if test $skip = yes
            set skip no
        else if string match -q -- '--*=*' $word
        else if contains -- $word ${[...valued].join(' ')}
            set skip yes
        else if not string match -q -- '-*' $word
            set -l next (string trim "$path $word")
            if contains -- $next ${known}
                set path $next
            end
        end
    end
    test "$path" = "$argv"
end
${lines.join('\n')}
`
}

/** For use inside quotes. */
function quotedPath(path: string): string {
  return path === '' ? '""' : path
}
