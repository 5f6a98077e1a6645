/** Evertick as its users have it: packed by npm, and unpacked into a project that has the packages it needs. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mustRun, root } from '../../../scripts/run-command.ts'

export interface InstalledPackage {
  /** The project; a folder inside it finds the package, too. */
  readonly folder: string
  readonly binary: string
  remove(): void
}

/** What `npm pack` reads and what its `prepack` builds from. */
const sources = [
  'src',
  'dashboard',
  'scripts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
]
const drivers = ['pg', 'mysql2']

export async function installPackage(): Promise<InstalledPackage> {
  const work = mkdtempSync(join(tmpdir(), 'evertick-cluster-'))
  try {
    const folder = join(work, 'project')
    await unpack(await pack(work), folder)
    const binary = join(folder, 'node_modules', '.bin', 'evertick')
    linkBinary(folder, binary)
    return { folder, binary, remove: () => rmSync(work, { recursive: true, force: true }) }
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    throw error
  }
}

/** From a copy: its build deletes and writes `dist`, which other tests of this run may do or use just now. */
async function pack(work: string): Promise<string> {
  const copy = join(work, 'source')
  for (const name of sources) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await mustRun('npm', ['pack', '--pack-destination', work, '--loglevel=error'], { cwd: copy, env: plainEnv })
  const file = readdirSync(work).find((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error('npm pack wrote no tarball')
  return join(work, file)
}

/** As npm would install it, but nothing is downloaded: the other packages are those of this repository. */
async function unpack(tarball: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const own = join(modules, 'evertick')
  mkdirSync(own, { recursive: true })
  await mustRun('tar', ['-xzf', tarball, '--strip-components=1', '-C', own])
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of [...Object.keys(manifest.dependencies), ...drivers]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
}

function linkBinary(folder: string, binary: string): void {
  const manifest = JSON.parse(
    readFileSync(join(folder, 'node_modules', 'evertick', 'package.json'), 'utf8'),
  ) as { bin: { evertick: string } }
  const file = join(folder, 'node_modules', 'evertick', manifest.bin.evertick)
  chmodSync(file, 0o755)
  mkdirSync(dirname(binary))
  symlinkSync(file, binary)
}

/** Without what vitest tells its own workers. */
const plainEnv = { NODE_OPTIONS: '', NODE_ENV: '' }
