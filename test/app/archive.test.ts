/** What retention removes is in the archive first. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { archiveInto } from '../../src/app/archive/archive-folder.ts'
import { defineJob } from '../../src/index.ts'
import { testFolder } from '../cli/run-cli.ts'
import { openNode } from '../promises/support.ts'

const job = defineJob({
  name: 'work',
  schedule: { every: '1h', anchor: 'epoch' },
  retention: { executions: 2, age: '1h' },
  retry: { attempts: 2, base: '1s' },
  async run(ctx) {
    ctx.log.info(`attempt ${ctx.attempt}`)
    if (ctx.attempt === 1) throw new Error('not yet')
    await ctx.step('half', () => Promise.resolve(1))
    return { of: ctx.scheduledFor.toISOString() }
  },
})

interface Line {
  readonly id: string
  readonly job: string
  readonly state: string
  readonly scheduledFor: string
  readonly finishedAt: string
  readonly attempts: readonly { readonly outcome: string }[]
  readonly steps: readonly { readonly name: string }[]
  readonly logs: readonly { readonly message: string }[]
}

function archived(folder: string): { readonly file: string; readonly line: Line }[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) =>
      gunzipSync(readFileSync(join(folder, file)))
        .toString()
        .trimEnd()
        .split('\n')
        .map((text) => ({ file, line: JSON.parse(text) as Line })),
    )
}

test('each execution that is no longer kept is in the file of its day, with attempts, steps and logs, once', async () => {
  const archive = join(testFolder(), 'archive')
  const node = await openNode({ jobs: [job], archive })
  await node.advance('30h')
  const kept = await node.executions('work')
  const lines = archived(archive)
  const all = [
    ...lines.map(({ line }) => line.scheduledFor),
    ...kept.map((one) => one.scheduledFor.toISOString()),
  ]
  const start = Date.parse('2026-01-01T00:00:00Z')
  const due = Array.from({ length: 30 }, (_, hour) => new Date(start + (hour + 1) * 3_600_000).toISOString())
  expect(lines.length).toBeGreaterThan(20)
  expect(all.toSorted()).toEqual(due)
  for (const { file, line } of lines) {
    expect(file).toMatch(new RegExp(`^executions-${line.finishedAt.slice(0, 10)}-[0-9a-f]{8}\\.jsonl\\.gz$`))
    expect(statSync(join(archive, file)).mode & 0o777).toBe(0o600)
    expect(line).toMatchObject({
      job: 'work',
      state: 'completed',
      attempts: [{ outcome: 'error' }, { outcome: 'completed' }],
      steps: [{ name: 'half' }],
      logs: [{ message: 'attempt 1' }, { message: 'attempt 2' }],
    })
  }
})

test('where the archive cannot be written, nothing is removed', async () => {
  const blocked = join(testFolder(), 'archive')
  writeFileSync(blocked, 'a file is in its place')
  const node = await openNode({ jobs: [job], archive: blocked })
  await node.advance('10h')
  expect(await node.executions('work')).toHaveLength(10)
})

test('a leader that dies before the commit leaves a second line with the same id to the next', async () => {
  const folder = testFolder()
  const node = await openNode({ jobs: [job] })
  await node.advance('3h')
  const { store, clock } = contextOf(node.evertick)
  const write = archiveInto(folder)
  const dies = store.ticks.purgeHistory({
    afterJobId: null,
    jobs: 10,
    now: clock.now() + 86_400_000,
    archive: (removed) => {
      write(removed)
      throw new Error('dead')
    },
  })
  await expect(dies).rejects.toThrow('dead')
  expect(await node.executions('work')).toHaveLength(3)
  await store.ticks.purgeHistory({
    afterJobId: null,
    jobs: 10,
    now: clock.now() + 86_400_000,
    archive: archiveInto(folder),
  })
  const ids = archived(folder).map(({ line }) => line.id)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
})
