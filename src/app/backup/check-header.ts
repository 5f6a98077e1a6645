/** What the first and the last line of a backup say, and which rows its tables can have. */
import { z } from 'zod'
import type { BackupRow, BackupValue, TableForm, TableForms } from '../../store/store.ts'
import { type BackupHeader, type BackupTrailer, damaged, formatName, refuseNewer } from './backup-format.ts'

const count = z.int().nonnegative()

/** What every version says of itself. */
const anyHeader = z.object({
  format: z.literal(formatName),
  version: z.int(),
  schema: z.int(),
  product: z.string(),
})

const headerShape = anyHeader.extend({
  engine: z.string(),
  madeAt: z.iso.datetime(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: count })),
})

const trailerShape = z.object({
  end: z.literal(formatName),
  rows: z.record(z.string(), count),
  sha256: z.string(),
  fileSha256: z.string(),
})

export function headerOf(path: string, line: string, forms: TableForms): BackupHeader {
  const read = parsed(path, line)
  const any = anyHeader.safeParse(read)
  if (!any.success) throw damaged(path, 'it does not begin as a backup does')
  refuseNewer(path, any.data, forms.schemaVersion)
  const header = headerShape.safeParse(read)
  if (!header.success) throw damaged(path, 'its first line cannot be read')
  for (const { name, columns } of header.data.tables) {
    const form = forms.tables.find((known) => known.name === name)
    const strange = columns.find((column) => form?.columns[column] === undefined)
    if (form === undefined) throw damaged(path, `it has a table ${name}, which no Evertick has`)
    if (strange !== undefined)
      throw damaged(path, `its table ${name} has a column ${strange}, which no Evertick has`)
  }
  return header.data
}

export function trailerOf(path: string, line: string): BackupTrailer {
  const trailer = trailerShape.safeParse(parsed(path, line))
  if (!trailer.success) throw damaged(path, 'its last line cannot be read')
  return trailer.data
}

export function parsed(path: string, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw damaged(path, 'a line of it cannot be read', error)
  }
}

/** The row of one line, without its table's name. */
export function checkedRow(
  path: string,
  columns: readonly string[],
  form: TableForm,
  line: readonly unknown[],
): BackupRow {
  const [, ...values] = line
  if (values.length === columns.length && values.every(isValueOf)) return values
  throw damaged(path, `a row of its table ${form.name} is not what that table holds`)

  function isValueOf(value: unknown, at: number): value is BackupValue {
    return isValue(value, form.columns[columns[at] ?? ''])
  }
}

function isValue(value: unknown, type: 'text' | 'number' | undefined): boolean {
  if (value === null) return true
  return type === 'number' ? Number.isFinite(value) : typeof value === 'string'
}
