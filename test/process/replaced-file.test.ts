/** Real nodes under load whose database file is deleted, moved or replaced. */
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Scene } from './scene.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

const removeAll = () => {
  for (const part of ['', '-wal', '-shm']) rmSync(`${scene.file}${part}`)
}
const losses: readonly [title: string, lose: () => void][] = [
  ['deleted', removeAll],
  ['moved away', () => renameSync(scene.file, join(scene.folder, 'elsewhere.db'))],
  [
    'replaced by a copy',
    () => {
      const copy = join(scene.folder, 'copy.db')
      const client = new DatabaseSync(scene.file)
      client.exec('PRAGMA busy_timeout = 10000')
      client.exec(`VACUUM INTO '${copy}'`)
      client.close()
      removeAll()
      copyFileSync(copy, scene.file)
    },
  ],
]

test.each(losses)(
  'nodes whose file is %s acknowledge nothing any more, stop by themselves, and leave the lead to the new file’s',
  async (_title, lose) => {
    const nodes = [scene.start('replaced-node.ts'), scene.start('replaced-node.ts')]
    for (const node of nodes) await node.heard('loading')
    await Promise.race(nodes.map(async (node) => await node.heard('elected')))
    lose()
    for (const node of nodes) node.send('SIGUSR2')
    for (const node of nodes) {
      expect(await node.heard('asked')).toMatchObject({ ends: ['database_replaced'] })
      const ended = await node.heard('ended')
      expect(ended).toMatchObject({ code: 'database_replaced' })
      expect(ended.message).toContain(scene.file)
      expect(ended.next).toContain('start the node again')
      expect(await node.exited).toEqual({ code: 0, signal: null })
      // Whoever led has said that it does no longer.
      expect(node.all('lost')).toHaveLength(node.all('elected').length)
      expect(node.stderr).toBe('')
    }
    if (_title === 'moved away') for (const part of ['-wal', '-shm']) rmSync(`${scene.file}${part}`)
    const next = scene.start('stop-node.ts', { concurrency: 1 })
    await next.heard('elected')
    next.send('SIGTERM')
    expect(await next.exited).toEqual({ code: 0, signal: null })
  },
  60_000,
)
