/** `--fresh`: starts over, and only deletes the files of its own database. */
import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { EvertickError } from '../../../core/error.ts'
import { Evertick } from '../../../evertick.ts'
import { withoutSecrets } from '../../../store/store-url.ts'
import { type Cli, databaseFile } from '../../session.ts'
import type { Settings } from '../../settings.ts'
import { isRunning, isSilent } from '../cluster/liveness.ts'

export async function deleteOwnDatabase(cli: Cli, settings: Settings, url: string): Promise<void> {
  const file = databaseFile(cli, url)
  if (file === null || file !== databaseFile(cli, settings.ownDatabase)) {
    throw new EvertickError(
      'invalid_option',
      `--fresh only deletes ${settings.ownDatabase}, not ${withoutSecrets(url)}.`,
      {
        field: '--fresh',
        next: 'Empty another database with `evertick migrate down`.',
      },
    )
  }
  if (!existsSync(file)) return
  await refuseInUse(url, file)
  for (const part of [file, `${file}-wal`, `${file}-shm`]) rmSync(part, { force: true })
  cli.terminal.say(`Deleted ${resolve(file)}.`)
}

async function refuseInUse(url: string, file: string): Promise<void> {
  let evertick: Evertick
  try {
    evertick = await Evertick.open({ database: url, migrate: false })
  } catch {
    // A damaged or foreign schema is one more reason to start over.
    return
  }
  try {
    const alive = (await evertick.nodes.list()).find((node) => !isSilent(node))
    if (alive === undefined || !isRunning(alive.pid)) return
    throw new EvertickError('database_busy', `The node ${alive.id} is using ${file}.`, {
      field: '--fresh',
      next: `Stop process ${alive.pid} first.`,
    })
  } finally {
    await evertick.stop()
  }
}
