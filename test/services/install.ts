/** Installs what the machine lacks, where that is ours to do: on Debian, as root. Says so. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { findProgram, isInstalled, type ServiceName, services } from './binaries.ts'

/** After this, a service is there or `howToGet` says what to do; throws only where apt-get has failed. */
export async function installMissing(
  wanted: readonly ServiceName[],
  say: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<void> {
  const packages = wanted.filter((name) => !isInstalled(name)).map((name) => services[name].debianPackage)
  if (packages.length === 0) return
  const aptGet = findProgram('apt-get')
  if (aptGet === null || !existsSync('/etc/debian_version') || process.getuid?.() !== 0) return
  const startedAt = performance.now()
  say(`apt-get install ${packages.join(' ')}: not on this machine, may take a minute …`)
  const restore = keepServicesDown()
  try {
    const install = ['install', '-y', '-q', '--no-install-recommends', ...packages]
    if ((await apt(aptGet, install)).ok) return
    // The lists of packages are empty in a container and out of date on many a machine.
    say('apt-get update …')
    await apt(aptGet, ['update', '-q'])
    const second = await apt(aptGet, install)
    if (!second.ok) throw new Error(`apt-get install ${packages.join(' ')} failed:\n${second.tail}`)
  } finally {
    restore()
    say(`apt-get: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  }
}

function apt(
  aptGet: string,
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly tail: string }> {
  return new Promise((resolve) => {
    const child = spawn(aptGet, ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C ends the tests; an interrupted dpkg would have to be repaired by hand.
      detached: true,
    })
    let text = ''
    const keep = (chunk: Buffer): void => {
      text = (text + chunk.toString()).slice(-3_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve({ ok: false, tail: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, tail: text }))
  })
}

/**
 * Debian starts a service as soon as it is installed, on its usual port and with data of its own. Two files forbid it
 * for as long as apt-get runs. One that is there already is the administrator's word, and stays.
 */
function keepServicesDown(): () => void {
  const put = [
    // Asks whether this process lives: left behind by a `kill -9`, it must not forbid anything for ever.
    putFile(
      '/usr/sbin/policy-rc.d',
      `#!/bin/sh\nkill -0 ${process.pid} 2>/dev/null && exit 101\nexit 0\n`,
      0o755,
    ),
    putFile(
      '/etc/postgresql-common/createcluster.d/evertick-tests.conf',
      'create_main_cluster = false\n',
      0o644,
    ),
  ]
  return () => {
    for (const remove of put) remove()
  }
}

function putFile(path: string, text: string, mode: number): () => void {
  if (existsSync(path)) return () => {}
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, text, { mode })
  return () => {
    rmSync(path, { force: true })
    if (readdirSync(folder).length === 0) rmdirSync(folder)
  }
}
