import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemsIn } from '../scripts/check-architecture.ts'
import { runCommand } from '../scripts/run-command.ts'

function problems(tree: Record<string, string>): string[] {
  return problemsIn(new Map(Object.entries(tree)))
}

/** Each row: the rule, one file that breaks it, and what is said about it. */
const broken: readonly [rule: string, path: string, text: string, said: string][] = [
  [
    'core imports only core',
    'src/core/a.ts',
    "import { b } from '../engine/b.ts'",
    'must not import src/engine/b.ts',
  ],
  [
    'core imports no type from above',
    'src/core/a.ts',
    "import type { S } from '../store/store.ts'",
    'must not import',
  ],
  [
    'core imports no Node module',
    'src/core/a.ts',
    "import { readFileSync } from 'node:fs'",
    'import node:fs',
  ],
  ['core imports no package but two', 'src/core/a.ts', "import { z } from 'zod'", 'must not import zod'],
  [
    'the port knows only core',
    'src/store/store.ts',
    "export * from './sql/jobs.ts'",
    'must not import src/store/sql',
  ],
  [
    'the engine knows only the port',
    'src/engine/a.ts',
    "import { o } from '../store/open-store.ts'",
    'must not import',
  ],
  [
    'the engine does not import app',
    'src/engine/a.ts',
    "await import('../app/a.ts')",
    'must not import src/app/a.ts',
  ],
  ['app does not import cli', 'src/app/a.ts', "import '../cli/a.ts'", 'must not import src/cli/a.ts'],
  [
    'app knows no SQL',
    'src/app/a.ts',
    "import { j } from '../store/sql/jobs.ts'",
    'must not import src/store/sql',
  ],
  [
    'the client imports no value of the server',
    'src/client/a.ts',
    "import type { A } from './b.ts'\nimport { allRoutes } from '../http/all-routes.ts'",
    'must not import src/http/all-routes.ts',
  ],
  [
    'the client imports no other type of the server',
    'src/client/a.ts',
    "import type { Api } from '../http/api.ts'",
    'must not import src/http/api.ts',
  ],
  [
    'the client imports no package',
    'src/client/a.ts',
    "import { z } from 'zod'",
    'the client runs in browsers: no zod',
  ],
  [
    'http does not import cli',
    'src/http/a.ts',
    "import { c } from '../cli/c.ts'",
    'must not import src/cli/c.ts',
  ],
  [
    'an engine folder is private',
    'src/store/migrate.ts',
    "import('./sqlite/driver.ts')",
    'only src/store/open-store.ts',
  ],
  [
    'a driver stays in its folder',
    'src/store/sql/a.ts',
    "import { Pool } from 'pg'",
    'pg belongs to src/store/postgres/',
  ],
  ['a subpath is the driver, too', 'src/app/a.ts', "import m from 'mysql2/promise'", 'mysql2 belongs to'],
  ['every folder has its layer', 'src/shared/a.ts', 'export {}', 'in no layer'],
  ['core has no clock', 'src/core/a.ts', 'const now = Date.now()', 'reads the clock'],
  ['core makes no date of now', 'src/core/a.ts', 'const now = new Date()', 'reads the clock'],
  ['the engine has no clock', 'src/engine/a.ts', 'const now = performance.now()', 'reads the clock'],
  ['a template hides no clock', 'src/core/a.ts', 'const a = `${Date.now()}`', 'reads the clock'],
  ['the engine sets no timer', 'src/engine/a.ts', 'setTimeout(run, 10)', 'sets a timer'],
  ['the engine sets no interval', 'src/engine/a.ts', 'globalThis.setInterval(run, 10)', 'sets a timer'],
  ['the engine takes no turn of its own', 'src/engine/a.ts', 'setImmediate(run)', 'sets a timer'],
  ['a driver has no clock', 'src/store/sqlite/a.ts', 'const now = performance.now()', 'reads the clock'],
  ['core rolls no dice', 'src/core/a.ts', 'const dice = Math.random()', 'rolls dice'],
  ['the engine makes no random id', 'src/engine/a.ts', 'const id = crypto.randomUUID()', 'rolls dice'],
  ['only cli reads the environment', 'src/app/a.ts', "const url = process.env['X']", 'reads the environment'],
  ['not by destructuring either', 'src/compat/a.ts', 'const { env } = process', 'reads the environment'],
  ['not by import either', 'src/compat/a.ts', "import { env } from 'node:process'", 'use the global process'],
  ['no syntax that Node 22 lacks', 'src/app/a.ts', 'await using node = await open()', 'Node 22'],
  ['a file has at most 400 lines', 'test/a.test.ts', 'x\n'.repeat(400), '401 lines'],
  ['a name says what the file owns', 'src/core/date-utils.ts', 'export {}', 'name the file after'],
  ['a link leads to a file', 'docs/guide.md', 'See [jobs](jobs.md).', 'dead link: jobs.md'],
  ['a link leads to a heading', 'README.md', '# Top\n[down](#bottom)', 'dead link: #bottom'],
]

test.each(broken)('%s', (_rule, path, text, said) => {
  expect(problems({ [path]: `\n${text}` })).toEqual([expect.stringContaining(said)])
})

test('a problem names its file and line', () => {
  expect(problems({ 'src/core/a.ts': '// first\n\nconst now = Date.now()\n' })).toEqual([
    'src/core/a.ts:3: reads the clock: core takes `now`, engine takes a Clock, the store a Host',
  ])
})

test('a driver has one home', () => {
  const text = "import { DatabaseSync } from 'node:sqlite'"
  const tree = { 'src/store/sqlite/driver.ts': text, 'src/store/sqlite/hot.ts': text }
  expect(problems(tree)).toEqual([expect.stringContaining('hot.ts:1: node:sqlite is already imported by')])
})

test('what the design allows passes', () => {
  const tree = {
    'src/index.ts': "export { Evertick } from './evertick.ts'",
    'src/core/schedule/words.ts':
      "import cronstrue from 'cronstrue'\n// Date.now() in a comment\nnew Date(5)",
    'src/store/store.ts': "import type { Tick } from '../core/tick/tick.ts'",
    'src/store/open-store.ts': "await import('./sqlite/store.ts')",
    'src/store/sqlite/store.ts': "import { open } from './driver.ts'\nimport { sql } from '../sql/jobs.ts'",
    'src/engine/node.ts':
      "import type { Store } from '../store/store.ts'\nthrow new Error('Date.now is forbidden')",
    'src/app/cluster/live-node.ts': "import { openStore } from '../../store/open-store.ts'\nconst now = Date.now()",
    'src/cli/evertick.ts': "import { Evertick } from '../evertick.ts'\nprocess.env['EVERTICK_URL']",
    'README.md':
      '# Top\n[code](src/core) [up](#top) [guide](docs/guide.md#first-steps) [web](https://example.org)',
    'docs/guide.md': '## First steps\n[back](../README.md) `[not](a-link)`',
  }
  expect(problems(tree)).toEqual([])
})

test('the linter sees floating promises, cycles, any, default exports and value imports of types', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-lint-'))
  try {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "module": "nodenext" } }',
    )
    writeFileSync(join(folder, 'a.ts'), "import { b } from './b.ts'\nexport const a = (): number => b()\n")
    writeFileSync(join(folder, 'c.ts'), 'export type C = number\n')
    writeFileSync(
      join(folder, 'b.ts'),
      [
        "import { a } from './a.ts'",
        "import { C } from './c.ts'",
        'export const b = (size?: C, list: any = []): number => a() + Number(size) + Number(list)',
        'export default async function later(): Promise<void> {}',
        'later()',
        '',
      ].join('\n'),
    )
    const { ok, text } = await runCommand('oxlint', [
      '--type-aware',
      '--format=unix',
      '-c',
      '.oxlintrc.json',
      folder,
    ])
    expect(ok).toBe(false)
    const rules = [
      'no-floating-promises',
      'no-cycle',
      'no-explicit-any',
      'no-default-export',
      'consistent-type-imports',
    ]
    expect(rules.filter((rule) => !text.includes(rule))).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
