/** Every sample of the documentation compiles under strict rules, runs as a process of its own, and prints what it says. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandResult, root, runCommand, tsc } from '../../scripts/run-command.ts'
import { pages, readPage, type Sample, samplesOf } from './markdown.ts'

const sampleTimeoutMs = 30_000
const atOnce = 2
const samples = pages().flatMap((page) => samplesOf(page, readPage(page)))
const running = samples.filter((sample) => sample.runs)
const results = new Map<Sample, Promise<CommandResult>>()
let folder = ''

// Outside the repository: Node strips no types below a folder named node_modules.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evertick-docs-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  // What `npm init -y` writes: a sample that is saved as .mts runs there as it stands.
  writeFileSync(join(folder, 'package.json'), '{ "name": "first", "version": "1.0.0", "type": "commonjs" }\n')
  for (const { file, code } of samples) writeFileSync(join(folder, file), resolved(code))
  let last: Promise<unknown>[] = Array.from({ length: atOnce }, () => Promise.resolve())
  for (const [index, sample] of running.entries()) {
    const lane = index % atOnce
    const result = (last[lane] ?? Promise.resolve()).then(() => runSample(sample))
    results.set(sample, result)
    last = last.with(lane, result)
  }
})

afterAll(async () => {
  await Promise.all(results.values())
  rmSync(folder, { recursive: true, force: true })
})

test('every sample compiles', async () => {
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false, typeRoots: [join(root, 'node_modules/@types')] },
    include: ['*.mts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const { text } = await runCommand(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')])
  expect(text).toBe('')
})

test.each(running.map((sample) => [sample.title, sample] as const))(
  '%s runs',
  async (_title, sample) => {
    const { ok, stdout, text } = (await results.get(sample)) ?? { ok: false, stdout: '', text: 'did not run' }
    expect(ok ? 'ended well' : text).toBe('ended well')
    const printed = stdout.trimEnd().split('\n')
    expect(sample.prints.length === 0 ? [] : printed).toEqual(sample.prints)
  },
  60_000,
)

async function runSample({ file }: Sample): Promise<CommandResult> {
  // A folder of its own, since a sample may make a database beside itself.
  const cwd = join(folder, file.replace('.mts', ''))
  mkdirSync(cwd)
  const flags = ['--disable-warning=ExperimentalWarning']
  return await runCommand(process.execPath, [...flags, join(folder, file)], {
    cwd,
    timeoutMs: sampleTimeoutMs,
  })
}

/** The package's names lead to its sources. */
function resolved(code: string): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>
  }
  return code.replaceAll(/from '(evertick(?:\/[\w-]+)?)'/g, (whole, name: string) => {
    const target = exports[name.replace('evertick', '.')]
    if (typeof target !== 'object') return whole
    return `from '${join(root, target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))}'`
  })
}
