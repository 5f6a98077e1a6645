import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describePayloads } from './payloads.ts'

describePayloads('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-payloads-'))
  return {
    url: `sqlite:${join(folder, 'evertick.db')}`,
    drop: async () => rmSync(folder, { recursive: true }),
  }
})
