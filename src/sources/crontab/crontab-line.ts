/** One line of a crontab, by what it is. Whether its schedule is one, the reader of the whole file decides. */
export type CrontabLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'setting'; readonly name: string; readonly value: string }
  | { readonly kind: 'job'; readonly schedule: string; readonly rest: string }

const settingLine = /^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/
/** `@daily …`, or five fields. `@every` has an argument of its own. */
const jobLine = /^(@every\s+\S+|@\S+|\S+\s+\S+\s+\S+\s+\S+\s+\S+)(?:\s+(.*))?$/i

export function parseLine(line: string): CrontabLine {
  const text = line.trim()
  if (text === '') return { kind: 'blank' }
  if (text.startsWith('#')) return { kind: 'comment', text: text.replace(/^#+/, '').trim() }
  const setting = settingLine.exec(text)
  if (setting !== null) return { kind: 'setting', name: setting[1] ?? '', value: unquoted(setting[2] ?? '') }
  const job = jobLine.exec(text)
  // Too few fields: the cron's own reader says so.
  if (job === null) return { kind: 'job', schedule: text, rest: '' }
  return { kind: 'job', schedule: (job[1] ?? '').replaceAll(/\s+/g, ' '), rest: job[2] ?? '' }
}

function unquoted(value: string): string {
  const text = value.trim()
  const quote = text[0]
  const isQuoted = text.length >= 2 && (quote === '"' || quote === "'") && text.at(-1) === quote
  return isQuoted ? text.slice(1, -1) : text
}

/** The user column of the system format. */
export function splitUser(rest: string): { readonly user: string; readonly command: string } | null {
  const match = /^([^\s:]+)(?::\S*)?\s+(\S.*)$/.exec(rest)
  const [, user = '', command = ''] = match ?? []
  return isUserName(user) ? { user, command } : null
}

export function isUserName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*\$?$/.test(name)
}
