/** The members of an options interface, read from its source: names, and the defaults that their comments state. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run-command.ts'

export interface DeclaredOption {
  readonly name: string
  /** The text after `@default`, or null. */
  readonly default: string | null
}

export function declaredOptions(file: string, name: string): DeclaredOption[] {
  const source = readFileSync(join(root, file), 'utf8')
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source)?.[1]
  if (body === undefined) throw new Error(`${file} declares no interface ${name}.`)
  const declared: DeclaredOption[] = []
  let outer = ''
  let comment = ''
  for (const line of body.split('\n').map((text) => text.trim())) {
    const member = /^readonly (\w+)\??: (.*)$/.exec(line)
    if (line === '}') outer = ''
    else if (member === null) comment = line
    else {
      const [, own = '', type = ''] = member
      const stated = /@default (.*?)\s*\*\/$/.exec(comment)?.[1] ?? null
      declared.push({ name: `${outer}${own}`, default: stated })
      if (type === '{') outer = `${own}.`
      comment = ''
    }
  }
  return declared
}
