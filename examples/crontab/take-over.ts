/** Takes over a crontab, line by line. Run it with `node examples/crontab/take-over.ts`. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defineJob, Evertick } from '../../src/index.ts'

const run = promisify(execFile)
const here = import.meta.dirname
const folder = mkdtempSync(join(tmpdir(), 'evertick-crontab-'))
const database = `sqlite:${join(folder, 'evertick.db')}`

/** The command line; in your own project it is `npx evertick …`. */
async function evertick(...args: string[]): Promise<string> {
  const binary = join(here, '../../src/cli/evertick.ts')
  const { stdout } = await run(process.execPath, [binary, ...args, '--database', database]).catch(
    // Exit code 7: a line needs a person, and the report says which.
    (ended: { code: number; stdout: string }) => {
      if (ended.code !== 7) throw ended
      return ended
    },
  )
  return stdout
}

try {
  console.log('$ evertick import crontab server.crontab')
  console.log((await evertick('import', 'crontab', join(here, 'server.crontab'))).replaceAll('\t', '   '))

  // A function takes the place of the command. Until it does, the job waits for it.
  const node = await Evertick.open({ database })
  await node.define(defineJob({ name: 'run-backup', run: (ctx) => `backed up, ${ctx.cause}` }))
  await node.jobs.update('nightly-backup', { handler: 'run-backup' })
  await node.start()
  const { metadata, nextRunAt } = await node.jobs.get('nightly-backup')
  const { command } = metadata['crontab'] as { command: string }
  console.log(`nightly-backup ran ${command}`)
  console.log(`It is due at ${nextRunAt?.toISOString()}. Once now, to see that it works:`)
  const { id } = await node.jobs.trigger('nightly-backup')
  console.log(`  ${String(await node.result(id))}\n`)
  await node.stop()

  console.log('$ evertick export crontab')
  console.log(await evertick('export', 'crontab'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
