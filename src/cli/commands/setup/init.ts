/** `evertick init`: a configuration and a first job, ready to start. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { EvertickError } from '../../../core/error.ts'
import { examples } from '../../help.ts'
import type { Cli } from '../../session.ts'

export function addInit(program: Command, cli: Cli): void {
  const command = program
    .command('init')
    .summary('write evertick.config.ts and an example job')
    .description('Writes evertick.config.ts and an example job to this folder. Overwrites nothing.')
    .action(() => init(cli))
  examples(command, [['init'], ['init && npx evertick start']])
}

function init({ cwd, terminal }: Cli): void {
  // In a CommonJS package, which `npm init` creates by default, only .mjs files can use `import`.
  const ending = packageType(cwd) === 'commonjs' ? 'mjs' : 'ts'
  const files = {
    [`evertick.config.${ending}`]: configText(ending),
    [`jobs/hello.${ending}`]: jobText,
  }
  const names = Object.keys(files)
  const others = ['ts', 'js', 'mjs'].map((each) => `evertick.config.${each}`)
  const existing = [...others, ...names].find((name) => existsSync(join(cwd, name)))
  if (existing !== undefined) {
    throw new EvertickError('file_exists', `${existing} already exists; nothing was written.`, {
      next: 'Edit it, or run `evertick init` in another folder.',
    })
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text, { flag: 'wx' })
  }
  terminal.answer({ written: names }, (out) => {
    for (const name of names) out.write(`${out.paint('ran', '+')} ${name}`)
    terminal.say('\nNow start it and watch its ticks:\n  $ npx evertick start')
  })
}

function packageType(cwd: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as { type?: string }).type
  } catch {
    // No package here, or an unreadable one: Node goes by the file endings.
    return undefined
  }
}

function configText(ending: string): string {
  return `import { defineConfig } from 'evertick'
import { hello } from './jobs/hello.${ending}'

export default defineConfig({
  // One file, created at the first start.
  database: 'sqlite:.evertick/evertick.db',
  // The default time zone of cron schedules.
  timezone: 'UTC',
  jobs: [hello],
})
`
}

const jobText = `import { defineJob } from 'evertick'

/** Stop the node, wait a minute and start it again: the missed ticks are folded into one run, and accounted for. */
export const hello = defineJob({
  name: 'hello',
  schedule: { every: '10s' },
  catchUp: 'latest',
  overlap: 'skip',
  retry: { attempts: 3 },
  run(ctx) {
    ctx.log.info(\`Hello at \${ctx.scheduledFor.toISOString()}, attempt \${ctx.attempt}\`)
  },
})
`
