// npm run generate: writes what is made of the table of a job's options, src/core/job/fields.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Field, jobOptions, type Option } from '../src/core/job/fields.ts'
import { storedName, toShown } from '../src/core/job/options-codec.ts'
import { phraseOf } from '../src/core/phrase.ts'
import { root } from './run-command.ts'

const typesFile = 'src/core/job/options.ts'
const pageFile = 'docs/reference/options.md'

/** The files as they should be. */
export function generatedOptions(): ReadonlyMap<string, string> {
  const page = readFileSync(join(root, pageFile), 'utf8')
  return new Map([
    [typesFile, typesText()],
    [pageFile, page.replace(/(?<=## Job options\n\n)(?:\|.*\n)+/, () => tableText())],
  ])
}

function typesText(): string {
  const groups = jobOptions.flatMap(([name, option]) =>
    option.is === 'group' ? [[name, option] as const] : [],
  )
  const parts = [
    `/** Made of the table in fields.ts by \`npm run generate\`. */
import type { Bytes } from '../bytes.ts'
import type { Duration, Instant, Schedule } from '../schedule/schedule.ts'`,
    ...groups.map(([name, { fields }]) =>
      block(
        `${typeName(name)}Options`,
        Object.entries(fields).map(([part, field]) => written(part, field)),
      ),
    ),
    `/** Everything about a job but its name, handler and input. */
${block('JobOptions', [
  property('schedule?', 'Schedule', 'When the job is due.', 'never by itself'),
  ...jobOptions.map(([name, option]) => written(name, option)),
])}`,
    ...groups.map(([name, { fields }]) =>
      block(
        `${typeName(name)}Spec`,
        Object.entries(fields).map(([part, field]) => stored(part, field)),
      ),
    ),
    `/** The same as they are stored: checked, and every default filled in. */
${block(
  'StoredOptions',
  jobOptions.map(([name, option]) => stored(name, option)),
)}`,
    ...groups.map(([name, { fields }]) =>
      block(
        `${typeName(name)}Settings`,
        Object.entries(fields).map(([part, field]) => shownPart(part, field)),
      ),
    ),
    `/** The same as a job shows them. Over REST an instant is text. */
${block(
  'JobSettings<At = Date>',
  jobOptions.map(([name, option]) => shown(name, option)),
)}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function block(name: string, lines: readonly string[]): string {
  return `export interface ${name} {\n${lines.join('\n')}\n}`
}

function property(name: string, type: string, line?: string, usual?: string): string {
  const told = usual === undefined ? line : `${line} @default ${usual}`
  const comment = told === undefined ? '' : `  /** ${told} */\n`
  return `${comment}  readonly ${name}: ${type}`
}

function written(name: string, option: Option | Field): string {
  if (option.is !== 'group')
    return property(`${name}?`, writtenType(option), lineOf(option), usualText(option))
  const type = `${typeName(name)}Options`
  const short = option.fields[option.short ?? '']
  if (short === undefined) return property(`${name}?`, type, option.line)
  return property(`${name}?`, `${writtenType(short)} | ${type}`, option.line, usualText(short))
}

function stored(name: string, option: Option | Field): string {
  if (option.is === 'group') return property(name, `${typeName(name)}Spec`)
  const type = ['duration', 'instant', 'bytes'].includes(option.is) ? 'number' : writtenType(option)
  return property(storedName(name, option), option.default === null ? `${type} | null` : type)
}

function shown(name: string, option: Option): string {
  if (option.is === 'group') return property(name, `${typeName(name)}Settings`)
  const type = option.is === 'instant' ? 'At' : writtenType(option)
  return property(name, option.default === null ? `${type} | null` : type)
}

function shownPart(name: string, field: Field): string {
  return property(field.default === null ? `${name}?` : name, writtenType(field))
}

function writtenType(field: Field): string {
  switch (field.is) {
    case 'duration':
      return 'Duration'
    case 'instant':
      return 'Instant'
    case 'bytes':
      return 'Bytes'
    case 'whole':
    case 'number':
      return 'number'
    case 'choice':
      return Object.keys(field.of)
        .map((name) => `'${name}'`)
        .join(' | ')
    case 'text':
      return 'string'
    case 'texts':
      return 'readonly string[]'
    case 'object':
      return 'Readonly<Record<string, unknown>>'
  }
}

function lineOf(field: Field): string {
  return field.is === 'whole' || field.is === 'number' ? `${field.line} ${rangeText(field)}.` : field.line
}

function typeName(group: string): string {
  return group.replace(/^./, (letter) => letter.toUpperCase())
}

/** The default as one would write it. */
function usualText(field: Field): string {
  if (field.default === null) return field.without ?? 'none'
  if (field.is === 'texts' || field.is === 'object') return 'none'
  const usual = toShown(field, field.default)
  return typeof usual === 'string' ? `'${usual}'` : String(usual)
}

function tableText(): string {
  const rows = [
    [
      '`schedule`',
      'schedule',
      'never by itself',
      'when the job is due: [scheduling](../guide/scheduling.md)',
    ],
    ...jobOptions.flatMap(([name, option]) => {
      const own = tableRow(name, option)
      if (option.is !== 'group') return [own]
      return [
        own,
        ...Object.entries(option.fields).map(([part, field]) => tableRow(`${name}.${part}`, field)),
      ]
    }),
  ]
  return [
    '| option | type | default | meaning |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

function tableRow(name: string, option: Option | Field): readonly string[] {
  const line = phraseOf(option.line)
  const guide =
    'guide' in option && option.guide !== undefined
      ? `: [${option.guide[0]}](../guide/${option.guide[1]})`
      : ''
  if (option.is !== 'group')
    return [`\`${name}\``, rangeText(option), inTable(usualText(option)), line + guide]
  const short = option.fields[option.short ?? '']
  const type = short === undefined ? 'object' : 'policy or object'
  return [`\`${name}\``, type, short === undefined ? '' : inTable(usualText(short)), line + guide]
}

function inTable(usual: string): string {
  return usual.startsWith("'") ? `\`${usual}\`` : usual
}

function rangeText(field: Field): string {
  const words = (number: number) => number.toLocaleString('en')
  switch (field.is) {
    case 'whole':
    case 'number':
      return field.max === undefined
        ? `${words(field.min)} or more`
        : `${words(field.min)} to ${words(field.max)}`
    case 'choice':
      return Object.keys(field.of)
        .map((name) => `\`${name}\``)
        .join(', ')
    case 'text':
      return `text of ${field.min === 0 ? 'at most' : `${field.min} to`} ${words(field.max)} characters`
    case 'texts':
      return `at most ${words(field.max)} texts of at most ${words(field.longest)} characters`
    case 'object':
      return 'object'
    case 'bytes':
      return "bytes, or `'256mb'`"
    default:
      return field.is
  }
}

if (import.meta.main) {
  for (const [file, text] of generatedOptions()) {
    writeFileSync(join(root, file), text)
    console.log(`wrote ${file}`)
  }
}
