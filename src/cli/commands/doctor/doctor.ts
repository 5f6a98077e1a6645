/** `evertick doctor`: checks the setup and says what to do about what it finds. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { contextOf } from '../../../app/app-context.ts'
import { exitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import type { Stream } from '../../output/terminal.ts'
import { type Cli, databaseFile, settingsOf } from '../../session.ts'
import type { RemoteSettings, Settings } from '../../settings.ts'
import { type Check, failureOf, ok } from './check.ts'
import { checkCluster } from './cluster-checks.ts'
import { checkDatabase, checkSizes } from './database-checks.ts'
import { checkEngine } from './engine-checks.ts'
import { checkFiles } from './file-checks.ts'
import { checkJobs, checkSecrets, checkZoneData } from './job-checks.ts'
import { checkServer } from './server-checks.ts'
import { checkSettings } from './settings-checks.ts'

const marks = {
  ok: { glyph: '✓', style: 'ran' },
  warn: { glyph: '!', style: 'late' },
  fail: { glyph: '✗', style: 'failed' },
} as const

export function addDoctor(program: Command, cli: Cli): void {
  const command = program
    .command('doctor')
    .summary('find problems in your setup')
    .description(
      'Checks Node, configuration, database, clock, leader, cursors, leases and jobs, and says what to do. Exits with code 7 if a check failed.',
    )
    .action(async () => {
      const checks = await examine(cli, command)
      const failed = checks.filter(({ status }) => status === 'fail').length
      if (failed > 0) cli.exitCode = exitCodes.problems
      cli.terminal.answer({ ok: failed === 0, checks }, (out) => show(out, checks))
    })
  examples(command, [['doctor'], ['doctor --json', 'for monitoring: exits with code 7 if a check failed']])
}

async function examine(cli: Cli, command: Command): Promise<Check[]> {
  const checks: Check[] = [ok('node', `Node ${process.versions.node}.`)]
  let settings: Settings
  try {
    settings = await settingsOf(cli, command, { asksServer: true })
  } catch (error) {
    return [...checks, failureOf('config', error)]
  }
  const { configPath, options } = settings
  checks.push(
    ok(
      'config',
      configPath === null
        ? 'No configuration file; only flags and environment variables.'
        : `${configPath}, ${counted(options.jobs?.length ?? 0, 'job')}.`,
    ),
  )
  const { remote } = settings
  return [
    ...checks,
    ...(remote === null ? await examineDatabase(cli, settings) : await examineServer(remote)),
  ]
}

async function examineDatabase(cli: Cli, settings: Settings): Promise<Check[]> {
  const { checks, evertick } = await checkDatabase(cli, settings)
  const file = databaseFile(cli, settings.database?.url ?? settings.ownDatabase)
  const around = [
    ...checkSettings(cli, settings),
    ...checks,
    // Also of a database that cannot be opened: its disk may be full.
    ...(file !== null && existsSync(file) ? checkFiles(file) : []),
  ]
  if (evertick === null) return around
  try {
    const time = await contextOf(evertick).store.time()
    const offsetMs = time === null ? null : time - Date.now()
    around.push(...(await checkEngine(evertick, settings.options.pool)))
    around.push(...(await checkCluster(evertick, offsetMs)), ...(await checkJobs(evertick)))
    around.push(await checkSecrets(evertick), await checkZoneData(evertick), await checkSizes(evertick))
  } catch (error) {
    around.push(failureOf('database', error))
  } finally {
    await evertick.stop()
  }
  return around
}

/** Without what cannot be seen from outside: the database itself, its sizes, and the time zone data of the nodes. */
async function examineServer(remote: RemoteSettings): Promise<Check[]> {
  const { checks, system } = await checkServer(remote)
  if (system === null) return checks
  try {
    checks.push(...(await checkCluster(system, null)), ...(await checkJobs(system)))
  } catch (error) {
    checks.push(failureOf('server', error))
  }
  return checks
}

function show(out: Stream, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length))
  for (const { name, status, message, next } of checks) {
    const { glyph, style } = marks[status]
    out.write(`${out.paint(style, glyph)} ${name.padEnd(width)}  ${plainText(message)}`)
    if (next !== undefined)
      out.write(`  ${' '.repeat(width)}  ${out.paint('running', '→')} ${plainText(next)}`)
  }
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length
  const [failed, warned] = [count('fail'), count('warn')]
  out.write('')
  if (failed > 0)
    out.write(
      out.paint(
        'failed',
        `${counted(failed, 'problem')} found${warned > 0 ? `, and ${counted(warned, 'thing')} to look at` : ''}.`,
      ),
    )
  else if (warned > 0)
    out.write(out.paint('late', `No problems, but ${counted(warned, 'thing')} to look at.`))
  else out.write(out.paint('ran', 'No problems found.'))
}
