import { posix } from 'node:path'

export interface DeadLink {
  readonly index: number
  readonly message: string
}

/** The links of one Markdown page that lead to no file, no folder, or no heading of the tree. Addresses are not tried. */
export function deadLinks(path: string, text: string, files: ReadonlyMap<string, string>): DeadLink[] {
  const dead: DeadLink[] = []
  if (!path.endsWith('.md')) return dead
  const prose = text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, (code) => code.replace(/[^\n]/g, ' '))
  for (const hit of prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm)) {
    const link = hit[1] ?? hit[2] ?? ''
    if (/^[a-z][a-z+.-]*:/i.test(link)) continue
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\/$/, '')
    if (!isInTree(target, files)) dead.push({ index: hit.index, message: `dead link: ${link}` })
    else if (anchor && target.endsWith('.md') && !anchorsOf(files.get(target) ?? '').has(anchor)) {
      dead.push({ index: hit.index, message: `dead link: ${link} (no such heading)` })
    }
  }
  return dead
}

function isInTree(target: string, files: ReadonlyMap<string, string>): boolean {
  if (target === '.' || files.has(target)) return true
  return [...files.keys()].some((key) => key.startsWith(`${target}/`))
}

/** GitHub's anchors: lower case, punctuation dropped, blanks to hyphens. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+\s+(.+?)\s*$/gm)].map((hit) => hit[1] ?? '')
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}
