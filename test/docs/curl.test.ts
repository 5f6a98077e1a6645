/** The `curl` lines of the documentation, run by a shell against a real node, print what the page says. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'
import { Cli, jsonOf, matching, tempFolder } from '../cli/run-cli.ts'
import { requireProgram } from '../services/binaries.ts'
import { installMissing } from '../services/install.ts'
import { pages, readPage, samplesOf, shellSamplesOf } from './markdown.ts'

const guide = 'docs/guide/server.md'
const config = samplesOf(guide, readPage(guide)).find(({ code }) => code.includes('defineConfig'))?.code ?? ''
const samples = new Map(
  pages()
    .map(
      (page) =>
        [page, shellSamplesOf(page, readPage(page)).filter(({ code }) => /\bcurl\b/.test(code))] as const,
    )
    .filter(([, found]) => found.length > 0),
)
const programs = ['curl', 'jq'] as const

// Installed where that is ours to do, else a failure that says what to install: these tests never vanish.
beforeAll(async () => {
  await installMissing(programs)
  for (const name of programs) requireProgram(name, name)
}, 120_000)

test('the verification steps that people know are among them', () => {
  const all = [...samples.values()].flat().map(({ code }) => code)
  const steps = [
    '/health"',
    '/api/v1/scheduler/metrics"',
    '/api/v1/jobs" | jq',
    '/api/v1/jobs/greet/executions"',
  ]
  expect(steps.filter((step) => !all.some((code) => code.includes(step)))).toEqual([])
})

describe.each([...samples])('%s', (_page, found) => {
  const folder = tempFolder()
  let node: Cli
  let env: Record<string, string>

  beforeAll(async () => {
    writeFileSync(join(folder, 'evertick.config.ts'), config)
    writeBinary(join(folder, 'bin'))
    node = new Cli(['start'], { cwd: folder, env: { EVERTICK_PORT: '0' } })
    const listening = /^ +open +(http:\S+)$/m
    await node.says(listening)
    const { token } = await jsonOf<{ token: string }>(
      ['token', 'create', '--role', 'admin', '--name', 'docs'],
      {
        cwd: folder,
      },
    )
    const url = listening.exec(node.stdout)?.[1] ?? ''
    env = { EVERTICK_URL: url, TOKEN: token, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` }
  })

  afterAll(async () => {
    node.signal('SIGTERM')
    await node.ended
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(found.map((sample) => [sample.title, sample] as const))(
    '%s',
    async (_title, { code, prints }) => {
      const { ok, stdout, text } = await runCommand('sh', ['-eu', '-c', code], {
        cwd: folder,
        env,
        timeoutMs: 30_000,
      })
      expect(ok ? 'ended well' : text).toBe('ended well')
      expect(stdout.trimEnd().split('\n')).toEqual(prints.map(as))
    },
  )
})

/** `…` stands for what differs from time to time. */
function as(line: string): unknown {
  if (!line.includes('…')) return line
  const parts = line.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return matching(new RegExp(`^${parts.join('.*')}$`))
}

/** `evertick` as an installed package has it. */
function writeBinary(folder: string): void {
  mkdirSync(folder)
  const path = join(folder, 'evertick')
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/cli/evertick.ts')}' "$@"\n`)
  chmodSync(path, 0o755)
}
