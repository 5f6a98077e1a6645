import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The project's root: npm runs every script from there. */
export const root = process.cwd()

/** TypeScript 7 by its path: the name `tsc` in `.bin` belongs to whichever TypeScript was installed last. */
export const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc')

export interface CommandOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** `inherit` shows the output as it comes; `capture` (the default) keeps it for the caller. */
  readonly output?: 'inherit' | 'capture'
  readonly timeoutMs?: number
}

export interface CommandResult {
  readonly ok: boolean
  readonly stdout: string
  /** What a person needs to see when it failed: stdout and stderr in the order in which they came. */
  readonly text: string
}

/**
 * Runs one program without a shell. The project's own binaries come first on the PATH, so that its pinned Node is used
 * even where the machine's Node is older.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const path = [join(root, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter)
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, PATH: path, ...options.env },
      stdio: options.output === 'inherit' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' }),
    })
    let stdout = ''
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      text += chunk
    })
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    child.on('error', (error) => {
      resolve({ ok: false, stdout, text: `${text}${command}: ${error.message}` })
    })
    child.on('close', (code, signal) => {
      const why = signal === null ? '' : `\n${command} was ended by ${signal}`
      resolve({ ok: code === 0, stdout, text: text + why })
    })
  })
}

/** As `runCommand`, for a step that nothing can follow when it failed. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const result = await runCommand(command, args, options)
  if (!result.ok) throw new Error(`${command} ${args.join(' ')} failed\n${result.text}`)
  return result.stdout
}
