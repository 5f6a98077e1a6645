// The rules that no linter knows: who may import whom, what must stay pure, how long a file may get, dead links.
// `problemsIn` is a pure function over a tree of files, so that test/architecture.test.ts can show each rule fail.
import { globSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { blankComments } from './blank-comments.ts'
import { deadLinks } from './dead-links.ts'

interface Layer {
  readonly at: string
  readonly may: readonly string[]
  /** Of these only the types: at run time nothing of them is there. */
  readonly mayType?: readonly string[]
}

/** Each folder of src, and what its files may import from src. The first row whose path matches holds. */
const layers: readonly Layer[] = [
  { at: 'src/core/', may: ['src/core/'] },
  { at: 'src/store/store.ts', may: ['src/core/', 'src/store/hints.ts', 'src/store/port/'] },
  { at: 'src/store/port/', may: ['src/core/', 'src/store/port/'] },
  { at: 'src/store/', may: ['src/core/', 'src/store/'] },
  { at: 'src/outbound/', may: ['src/core/', 'src/store/load-driver.ts', 'src/outbound/'] },
  // What is observed tells of itself by events; nothing below knows that somebody counts.
  {
    at: 'src/observe/',
    may: [
      'src/core/',
      'src/store/store.ts',
      'src/store/load-driver.ts',
      ...['events', 'clock', 'context', 'logger'].map((name) => `src/engine/${name}.ts`),
      'src/observe/',
    ],
  },
  { at: 'src/handlers/', may: ['src/core/', 'src/store/store.ts', 'src/outbound/', 'src/handlers/'] },
  { at: 'src/sources/', may: ['src/core/', 'src/store/store.ts', 'src/outbound/', 'src/sources/'] },
  { at: 'src/engine/', may: ['src/core/', 'src/store/store.ts', 'src/store/hints.ts', 'src/engine/'] },
  // How a handler runs outside the node's own event loop.
  {
    at: 'src/isolate/',
    may: ['src/core/', 'src/store/store.ts', 'src/handlers/', 'src/engine/', 'src/isolate/'],
  },
  // It runs in browsers. Its types are those of the routes themselves.
  { at: 'src/client/', may: ['src/core/', 'src/client/'], mayType: ['src/http/all-routes.ts'] },
  { at: 'src/app/', may: below('src/app/') },
  { at: 'src/http/', may: below('src/app/', 'src/http/'), mayType: ['src/evertick.ts'] },
  // The library's own door. It loads the server where a node has the role `api`.
  { at: 'src/evertick.ts', may: below('src/app/', 'src/http/serve.ts') },
  { at: 'src/testing/', may: below('src/app/', 'src/evertick.ts', 'src/testing/') },
  { at: 'src/compat/', may: below('src/app/', 'src/evertick.ts', 'src/compat/') },
  {
    at: 'src/cli/',
    // Of the facades only what brings their tables here.
    may: below(
      'src/app/',
      'src/evertick.ts',
      'src/http/openapi.ts',
      'src/compat/adopt/',
      'src/cli/',
      'src/client/',
    ),
  },
  { at: 'src/index.ts', may: ['src/'] },
  // The page speaks HTTP only, through the client; of the library it shares words and pure functions.
  { at: 'dashboard/src/', may: ['dashboard/src/', 'src/client/index.ts', 'src/core/'] },
]

function below(...own: string[]): string[] {
  const lower = ['core/', 'outbound/', 'observe/', 'handlers/', 'sources/', 'engine/', 'isolate/']
  const store = [
    'store/store.ts',
    'store/wrap-store.ts',
    'store/open-store.ts',
    'store/foreign.ts',
    'store/host.ts',
    'store/load-driver.ts',
    'store/private-files.ts',
    'store/store-url.ts',
    'store/migrate',
  ]
  return [...[...lower, ...store].map((path) => `src/${path}`), ...own]
}

/** The only packages that core may import; Node's own modules are I/O and not among them. */
const corePackages = ['cronstrue', '@standard-schema/spec']
/** An engine's folder is private: its own files and the file that opens stores know it. */
const engineFolders = ['sqlite', 'postgres', 'mysql', 'redis'].map((name) => `src/store/${name}/`)
const storeOpener = 'src/store/open-store.ts'
/** Each driver is imported in one file only, inside its engine's folder. */
const drivers: Readonly<Record<string, string>> = {
  'node:sqlite': 'src/store/sqlite/',
  pg: 'src/store/postgres/',
  mysql2: 'src/store/mysql/',
  redis: 'src/store/redis/',
  nodemailer: 'src/outbound/',
  bullmq: 'src/compat/bullmq/',
  'node-resque': 'src/compat/node-resque/',
  '@opentelemetry/api': 'src/observe/',
  'openid-client': 'src/app/access/people/',
}

/** What must run the same from a seed; the host is how the store reaches the process. */
const deterministic = { in: ['src/core/', 'src/engine/', 'src/store/'], except: ['src/store/host.ts'] }

/** Words that code must not use: `in` says where the rule holds, `except` where not. */
const forbidden: readonly { in: string[]; except?: string[]; words: RegExp; say: string }[] = [
  {
    ...deterministic,
    words:
      /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<!new )\bDate\(\s*\)|\bperformance\.(?:now|timeOrigin)\b|\bhrtime\b|\bTemporal\.Now\b/,
    say: 'reads the clock: core takes `now`, engine takes a Clock, the store a Host',
  },
  {
    ...deterministic,
    words:
      /(?:(?<![.\w])|\bglobalThis\.)(?:setTimeout|setInterval|setImmediate)\b|\bprocess\.nextTick\b|\bAbortSignal\.timeout\b/,
    say: 'sets a timer of its own: waits go through the Clock or the Host',
  },
  {
    ...deterministic,
    words: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\brandom(?:Bytes|Int)\b/,
    say: 'rolls dice: randomness comes in as an argument',
  },
  {
    in: ['src/'],
    except: ['src/cli/', 'src/app/config/environment.ts'],
    words: /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\}\s*=\s*process\b/,
    say: 'reads the environment: only cli/ does',
  },
  { in: ['src/'], words: /\busing\s+\w+\s*=/, say: '`using` is a syntax error on Node 22' },
  {
    in: ['dashboard/src/'],
    words: /\bv-html\b|\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b/,
    say: 'writes HTML: text only, or a job called <script> is one',
  },
  {
    in: ['dashboard/src/'],
    words: /(?<![.\w])fetch\(|\bXMLHttpRequest\b|\bEventSource\b|\bWebSocket\b/,
    say: 'speaks to the server by itself: only the client does',
  },
]

const maxLines = 400
/** Files that may be longer, each with its reason. */
const longFiles: Readonly<Record<string, string>> = {}
/** Names that say nothing about what a file owns. */
const emptyNames = /(?:^|[-/])(?:utils?|helpers?|types|interfaces|manager|impl)\.ts$/

export function problemsIn(files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = []
  const driverHomes = new Map<string, string>()
  for (const [path, text] of files) {
    const report = (index: number, message: string): void => {
      problems.push(`${path}:${text.slice(0, index).split('\n').length}: ${message}`)
    }
    for (const dead of deadLinks(path, text, files)) report(dead.index, dead.message)
    if (!/^(?:src|test|scripts|bench|dashboard)\/.*\.(?:ts|vue)$/.test(path)) continue
    const lines = text.split('\n').length - 1
    if (lines > maxLines && longFiles[path] === undefined)
      report(0, `${lines} lines; split it at ${maxLines}`)
    if (emptyNames.test(path)) report(0, 'name the file after the noun that it owns')
    if (!startsWithAny(path, ['src/', 'dashboard/src/'])) continue
    checkImports(path, blankComments(text, { strings: false }), driverHomes, report)
    const code = blankComments(text, { strings: true })
    for (const rule of forbidden) {
      if (!startsWithAny(path, rule.in) || startsWithAny(path, rule.except ?? [])) continue
      for (const hit of code.matchAll(new RegExp(rule.words, 'gm'))) report(hit.index, rule.say)
    }
  }
  return problems
}

type Report = (index: number, message: string) => void

function checkImports(path: string, code: string, driverHomes: Map<string, string>, report: Report): void {
  const layer = layers.find((row) => path.startsWith(row.at))
  if (layer === undefined)
    report(0, 'in no layer: add its folder to the table in scripts/check-architecture.ts')
  for (const hit of code.matchAll(/\b(?:from|import|require)\b\s*\(?\s*(['"])([^'"\n]+)\1/g)) {
    const name = hit[2] ?? ''
    if (name.startsWith('.')) {
      const target = posix.join(posix.dirname(path), name)
      const typed = isTypeImport(code, hit.index) ? (layer?.mayType ?? []) : []
      if (layer && !startsWithAny(target, [...layer.may, ...typed]))
        report(hit.index, `${layer.at} must not import ${target}`)
      const engine = engineFolders.find((folder) => target.startsWith(folder))
      if (engine && path !== storeOpener && !path.startsWith(engine)) {
        report(hit.index, `only ${storeOpener} imports from ${engine}`)
      }
      continue
    }
    if (path.startsWith('src/core/') && !corePackages.includes(name))
      report(hit.index, `core must not import ${name}`)
    if (path.startsWith('src/client/')) report(hit.index, `the client runs in browsers: no ${name}`)
    if (name === 'node:process' && !path.startsWith('src/cli/'))
      report(hit.index, 'use the global process, so that reading the environment can be seen')
    const driver = Object.keys(drivers).find((known) => name === known || name.startsWith(`${known}/`))
    if (driver === undefined) continue
    const home = driverHomes.get(driver) ?? path
    driverHomes.set(driver, home)
    if (!path.startsWith(drivers[driver] ?? '')) report(hit.index, `${driver} belongs to ${drivers[driver]}`)
    else if (home !== path)
      report(hit.index, `${driver} is already imported by ${home}; one file is its home`)
  }
}

/** Whether the `from` at this place ends an `import type` or `export type`. */
function isTypeImport(code: string, index: number): boolean {
  return /\b(?:import|export)\s+type\b(?:(?!\b(?:import|export)\b)[\s\S])*$/.test(code.slice(0, index))
}

function startsWithAny(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => path.startsWith(prefix))
}

/** Every file of the project; only the text of what is checked is read. */
function projectFiles(): Map<string, string> {
  const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.evertick'])
  const paths = globSync(['**/*', '.ci/*', '.*'], { exclude: (name) => skipped.has(posix.basename(name)) })
  const files = paths.filter((path) => statSync(path).isFile()).toSorted()
  return new Map(files.map((path) => [path, /\.(?:ts|vue|md)$/.test(path) ? readFileSync(path, 'utf8') : '']))
}

if (import.meta.main) {
  const problems = problemsIn(projectFiles())
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}
