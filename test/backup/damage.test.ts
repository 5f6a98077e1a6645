/** What is not a whole backup is refused, and nothing is written. */

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test, vi } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { lineOf } from '../../src/app/backup/backup-format.ts'
import { storedMember } from '../../src/app/backup/stored-member.ts'
import type { Evertick } from '../../src/index.ts'
import { temporaryFolder } from '../store/sqlite-store.ts'
import { filledBackup, opened, testFolder } from './restored.ts'

let whole: Buffer
beforeAll(async () => {
  const folder = temporaryFolder()
  whole = readFileSync(await filledBackup(folder.path))
  folder.remove()
})

/** The codes with which an empty database refuses these files; it must not even be asked to write. */
async function refusals(files: Iterable<Buffer>): Promise<Record<string, number>> {
  const evertick = await opened('sqlite::memory:')
  const writes = vi.spyOn(contextOf(evertick).store.backup, 'replaceTables')
  const path = join(testFolder(), 'damaged')
  const codes: Record<string, number> = {}
  for (const file of files) {
    writeFileSync(path, file)
    const code = await codeOf(evertick, path)
    codes[code] = (codes[code] ?? 0) + 1
  }
  expect(writes).not.toHaveBeenCalled()
  return codes
}

async function codeOf(evertick: Evertick, path: string): Promise<string> {
  try {
    await evertick.restore(path)
    return 'restored'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

test('a backup that is cut at any kilobyte', async () => {
  const cuts = Array.from({ length: Math.ceil(whole.length / 1024) }, (_, at) => whole.subarray(0, at * 1024))
  expect(cuts.length).toBeGreaterThan(5)
  expect(await refusals(cuts)).toEqual({ backup_damaged: cuts.length })
})

/** One bit of every so many bytes, another in each. */
function* flipped(file: Buffer, everyBytes: number): Generator<Buffer> {
  for (let at = 0; at < file.length; at += everyBytes) {
    const copy = Buffer.from(file)
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))
    yield copy
  }
}

test('a backup with any bit flipped', async () => {
  const path = join(testFolder(), 'small')
  const empty = await opened('sqlite::memory:')
  await empty.backup(path)
  const small = readFileSync(path)
  expect(await refusals(flipped(small, 1))).toEqual({ backup_damaged: small.length })
  expect(await refusals(flipped(whole, 7))).toEqual({ backup_damaged: Math.ceil(whole.length / 7) })
})

test('a backup with more behind its end, and what is none at all', async () => {
  const others = [
    Buffer.concat([whole, Buffer.from('x')]),
    Buffer.concat([whole, whole]),
    Buffer.alloc(0),
    Buffer.from('hello'),
    gzipSync(gunzipSync(whole)),
    storedMember(gunzipSync(whole).toString().trimEnd().split('\n').at(-1) ?? ''),
  ]
  expect(await refusals(others)).toEqual({ backup_damaged: others.length })
})

/** A file whose every hash is right, with other lines. */
function forged(change: (lines: string[]) => string[]): Buffer {
  const lines = gunzipSync(whole).toString().trimEnd().split('\n')
  const trailer = JSON.parse(lines.pop() ?? '') as Record<string, unknown>
  const text = `${change(lines).join('\n')}\n`
  const body = gzipSync(text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const fileSha256 = createHash('sha256').update(body).digest('hex')
  return Buffer.concat([body, storedMember(lineOf({ ...trailer, sha256, fileSha256 }))])
}

const header = (more: object) => (lines: string[]) => {
  const [first = '', ...rows] = lines
  return [JSON.stringify({ ...(JSON.parse(first) as object), ...more }), ...rows]
}

test('a backup of a newer format, or of a newer schema', async () => {
  const newer = [forged(header({ version: 2, tables: 'otherwise' })), forged(header({ schema: 1_000 }))]
  expect(await refusals(newer)).toEqual({ backup_newer: 2 })
})

test('rows that are missing, doubled, out of order or not what their table holds', async () => {
  const wrong = [
    forged((lines) => lines.slice(0, -1)),
    forged((lines) => [...lines, lines.at(-1) ?? '']),
    forged(([first = '', ...rows]) => [first, ...rows.toReversed()]),
    forged((lines) =>
      lines.map((line) => line.replace(/^\["queues","night",\d+/, '["queues","night","soon"')),
    ),
    forged((lines) => lines.map((line) => line.replace(/^\["queues",/, '["queues",1,'))),
    forged((lines) => lines.map((line) => line.replace(/^\["queues",/, '["unknown",'))),
    forged((lines) =>
      lines.map((line) => line.replace('"columns":["name","paused_at"', '"columns":["name","stopped_at"')),
    ),
    forged((lines) => [...lines.slice(0, 3), 'no JSON', ...lines.slice(3)]),
  ]
  expect(await refusals(wrong)).toEqual({ backup_damaged: wrong.length })
})

test('a forged file that is right in everything would be taken: it is the checks that refuse the others', async () => {
  const evertick = await opened('sqlite::memory:')
  const path = join(testFolder(), 'forged')
  writeFileSync(
    path,
    forged((lines) => lines),
  )
  await evertick.restore(path)
  expect((await evertick.jobs.list()).jobs.length).toBeGreaterThan(5)
})
