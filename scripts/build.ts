// Builds dist/: ES modules and type declarations by TypeScript, the SQL files that the code reads beside itself, and the
// dashboard.
import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildDashboard } from './build-dashboard.ts'
import { mustRun, root, tsc } from './run-command.ts'

const dist = join(root, 'dist')
// A file deleted from src must not live on in the package.
rmSync(dist, { recursive: true, force: true })

await mustRun(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { output: 'inherit' })

for (const sqlFile of globSync('**/*.sql', { cwd: join(root, 'src') })) {
  const target = join(dist, sqlFile)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(root, 'src', sqlFile), target)
}

await buildDashboard()

// npm makes an installed binary executable; inside this repository `npx evertick` runs the file as it lies here.
const binary = join(dist, 'cli', 'evertick.js')
if (existsSync(binary)) chmodSync(binary, 0o755)
