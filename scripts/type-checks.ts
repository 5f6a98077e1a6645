// Types: the project by TypeScript 7; what runs in a browser has its own settings, and Vue's files their own compiler.
import { runCommand, tsc } from './run-command.ts'

const checks: readonly (readonly [command: string, ...args: string[]])[] = [
  [process.execPath, tsc, '-p', 'tsconfig.json'],
  [process.execPath, tsc, '-p', 'test/browser/tsconfig.json'],
  ['vue-tsc', '--noEmit', '-p', 'dashboard/tsconfig.json'],
]

const results = await Promise.all(checks.map(([command, ...args]) => runCommand(command, args)))
for (const { ok, text } of results) {
  if (text !== '') console.log(text.trimEnd())
  if (!ok) process.exitCode = 1
}
