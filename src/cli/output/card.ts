/** A frame around a few lines, with a title in its upper edge. */
import { widthOf } from './plain-text.ts'
import { padded } from './table.ts'
import type { Stream } from './terminal.ts'

export function writeCard(out: Stream, title: string, lines: readonly string[]): void {
  const width = Math.max(widthOf(title) + 2, ...lines.map(widthOf))
  const edge = (text: string) => out.paint('dim', text)
  out.write(
    `${edge('╭─')} ${out.paint('strong', title)} ${edge(`${'─'.repeat(width - widthOf(title) - 1)}╮`)}`,
  )
  for (const line of lines) out.write(`${edge('│')} ${padded(line, width)} ${edge('│')}`)
  out.write(edge(`╰${'─'.repeat(width + 2)}╯`))
}
