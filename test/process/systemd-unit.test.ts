/** The unit, as systemd itself reads it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'
import { testFolder } from '../cli/run-cli.ts'
import { requireProgram } from '../services/binaries.ts'
import { installMissing } from '../services/install.ts'

const unit = readFileSync(join(root, 'deploy/systemd/evertick.service'), 'utf8')
/** Of ten, in systemd's own measure; 9.6 is a unit without any restriction. */
const mostExposure = 2

beforeAll(async () => {
  await installMissing(['systemd'])
}, 120_000)

test.skipIf(process.platform !== 'linux')(
  'systemd finds no fault with the unit, and little exposure',
  async () => {
    const analyze = requireProgram('systemd', 'systemd-analyze')
    // The program has to be there; where Node is, differs.
    const path = join(testFolder(), 'evertick.service')
    writeFileSync(path, unit.replace('/usr/bin/node', process.execPath))
    expect(await runCommand(analyze, ['verify', '--man=no', path])).toMatchObject({ ok: true, text: '' })
    const { text } = await runCommand(analyze, ['security', '--offline=yes', path])
    expect(Number(/exposure level for evertick\.service: ([\d.]+)/.exec(text)?.[1])).toBeLessThan(
      mostExposure,
    )
  },
)

test.skipIf(process.platform !== 'linux')('a fault would be found', async () => {
  const analyze = requireProgram('systemd', 'systemd-analyze')
  const path = join(testFolder(), 'evertick.service')
  writeFileSync(path, unit.replace('/usr/bin/node', '/nowhere/node'))
  expect(await runCommand(analyze, ['verify', '--man=no', path])).toMatchObject({ ok: false })
})
