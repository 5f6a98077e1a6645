// npm start: the example node at once, and beside it the build of the dashboard where its sources have changed.
import { spawn } from 'node:child_process'

spawn(process.execPath, ['scripts/build-dashboard.ts'], { stdio: ['ignore', 'ignore', 'inherit'] })
process.argv.splice(2, 0, 'start', '--example')
await import('../src/cli/evertick.ts')
