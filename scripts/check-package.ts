// The package as its users get it: packed, linted, installed into an empty project, and run there on the oldest Node
// that package.json promises and on the pinned one.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustRun, root, tsc } from './run-command.ts'

const sampleHeading = '## In your code'
const sampleTimeoutMs = 20_000
const npmQuiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, unknown>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const work = mkdtempSync(join(tmpdir(), 'evertick-package-'))
try {
  await checkPackage()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function checkPackage(): Promise<void> {
  const sample = readmeSample()
  const oldestNode = manifest.engines.node.replace('>=', '')
  const tarball = await timed('build and pack', packTarball)
  await timed('publint', () => mustRun('publint', ['run', tarball, '--strict']))
  const project = join(work, 'project')
  const [, oldest] = await Promise.all([
    timed('install the tarball into an empty project', () => installTarball(project, tarball)),
    timed(`Node ${oldestNode} for the run below`, () => installNode(oldestNode)),
  ])
  checkPages(project)
  await timed('types of the sample', () => checkTypes(project, sample))
  for (const node of [process.execPath, oldest]) {
    const version = (await mustRun(node, ['--version'])).trim()
    await timed(`sample of the README on Node ${version}`, () => runSample(project, node, version, sample))
    await timed(`require() on Node ${version}`, () => requireEverything(project, node))
  }
  await timed('npx evertick --version', () => checkBinary(project))
}

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await run()
  console.log(`  ${what}: ok, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

/** The first TypeScript block after the heading. */
function readmeSample(): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const start = readme.indexOf(`${sampleHeading}\n`)
  const block = start < 0 ? null : /^```ts\n([\s\S]*?)^```/m.exec(readme.slice(start))
  if (block?.[1] === undefined) throw new Error(`README.md has no \`\`\`ts block after "${sampleHeading}"`)
  return block[1]
}

async function packTarball(): Promise<string> {
  // npm runs `prepack`, which builds: what is packed here is what `npm publish` would send.
  await mustRun('npm', ['pack', '--pack-destination', work, '--loglevel=error'])
  const file = readdirSync(work).find((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error('npm pack wrote no tarball')
  return join(work, file)
}

async function installTarball(project: string, tarball: string): Promise<void> {
  mkdirSync(project)
  await mustRun('npm', ['init', '-y', '--loglevel=error'], { cwd: project })
  await mustRun('npm', ['install', tarball, ...npmQuiet], { cwd: project })
}

/** The npm package `node`, kept beside the project's other packages: `npm ci` is what clears it. */
async function installNode(version: string): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', `node-${version}`)
  const node = join(folder, 'node_modules', '.bin', 'node')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }\n')
  // An empty list of packages would reinstall; a Node that answers needs nothing.
  const known = await mustRun(node, ['--version']).catch(() => '')
  if (!known.startsWith(`v${version}`))
    await mustRun('npm', ['install', `node@${version}`, ...npmQuiet], { cwd: folder })
  return node
}

/** As a strict user's compiler sees it. Only the types of Node are lent to the project. */
async function checkTypes(project: string, sample: string): Promise<void> {
  writeFileSync(join(project, 'beat.mts'), sample)
  const nodeTypes = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node']
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--skipLibCheck',
    'false',
  ]
  await mustRun(process.execPath, [tsc, ...flags, ...nodeTypes, 'beat.mts'], { cwd: project })
}

async function runSample(project: string, node: string, version: string, sample: string): Promise<void> {
  // A folder of its own, since the sample may make a database beside itself.
  const folder = join(project, `run-${version}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'beat.mts'), sample)
  await mustRun(node, ['beat.mts'], { cwd: folder, timeoutMs: sampleTimeoutMs })
}

/** Every subpath by `require`, which refuses a module graph with a top-level await. */
async function requireEverything(project: string, node: string): Promise<void> {
  const names = Object.keys(manifest.exports).map((subpath) => manifest.name + subpath.slice(1))
  const lines = names.map(
    (name) => `if (Object.keys(require('${name}')).length === 0) throw new Error('${name} is empty')`,
  )
  writeFileSync(join(project, 'require.cjs'), `${lines.join('\n')}\n`)
  await mustRun(node, ['require.cjs'], { cwd: project, timeoutMs: sampleTimeoutMs })
}

/** What people look for in a package, beside its code. */
function checkPages(project: string): void {
  const there = readdirSync(join(project, 'node_modules', manifest.name))
  const missing = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'].filter(
    (name) => !there.includes(name),
  )
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`)
}

async function checkBinary(project: string): Promise<void> {
  const said = await mustRun('npx', ['--no-install', 'evertick', '--version'], { cwd: project })
  if (said.trim() !== manifest.version)
    throw new Error(`evertick --version said ${said}, not ${manifest.version}`)
}
