// The OpenAPI document as strangers use it: a public validator takes it, a public generator makes a client of it, a small
// program written with that client compiles, and works against a real node. The tools are no dependencies of ours (the
// generator wants TypeScript 5): they are installed from their own lock file into a folder that is thrown away.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineJob, Evertick } from '../src/index.ts'
import { mustRun, root } from './run-command.ts'

const tools = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
const programTimeoutMs = 60_000

const cli = ['--no-warnings', join(root, 'src', 'cli', 'evertick.ts')]
const work = mkdtempSync(join(tmpdir(), 'evertick-openapi-client-'))
try {
  cpSync(join(root, 'test', 'campaign', 'openapi-client'), work, { recursive: true })
  await mustRun('npm', tools, { cwd: work })
  await generate()
  console.log(await run())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** One of the tools, and never one of ours with the same name. */
async function tool(name: string, ...args: string[]): Promise<string> {
  return await mustRun(join(work, 'node_modules', '.bin', name), args, { cwd: work })
}

async function generate(): Promise<void> {
  writeFileSync(join(work, 'openapi.json'), await mustRun(process.execPath, [...cli, 'openapi']))
  console.log(`validator: ${(await tool('validate-api', 'openapi.json')).replaceAll(/\s+/g, ' ')}`)
  // By itself it takes what has a default for required, in bodies, too.
  await tool('openapi-typescript', 'openapi.json', '-o', 'schema.d.ts', '--default-non-nullable', 'false')
  await tool('tsc', '-p', '.')
}

async function run(): Promise<string> {
  const database = `sqlite:${join(work, 'evertick.db')}`
  const node = await Evertick.open({
    database,
    roles: ['scheduler', 'worker', 'api'],
    api: { port: 0 },
    jobs: [defineJob({ name: 'greet', run: () => 'hello' })],
  })
  try {
    await node.start()
    const made = await mustRun(process.execPath, [...cli, 'token', 'create', '--role', 'admin', '--json'], {
      env: { EVERTICK_DATABASE_URL: database },
    })
    const { token } = JSON.parse(made) as { readonly token: string }
    return await mustRun(process.execPath, ['--no-warnings', 'program.ts'], {
      cwd: work,
      env: { EVERTICK_URL: node.url ?? '', EVERTICK_TOKEN: token },
      timeoutMs: programTimeoutMs,
    })
  } finally {
    await node.stop()
  }
}
