import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openTestNode } from '../../src/testing/index.ts'

test('a node whose database is migrated under it says so and stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-schema-'))
  const file = join(folder, 'evertick.db')
  const node = await openTestNode({ jobs: [], database: `sqlite:${file}` })
  try {
    await node.advance('2h')
    const door = new DatabaseSync(file)
    door.exec(`INSERT INTO evertick_migrations VALUES (9999, '9999_next', 'x', 0)`)
    door.close()
    await node.advance('2h')
    await expect(node.evertick.start()).rejects.toMatchObject({ code: 'not_running' })
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
