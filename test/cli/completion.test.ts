/** What the shell itself makes of the completion. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { testFolder } from './run-cli.ts'

async function script(shell: string): Promise<string> {
  const { code, stdout } = await inProcess(['completion', shell], { cwd: testFolder() })
  expect(code).toBe(0)
  return stdout
}

describe('bash', () => {
  /** What TAB would offer after these words; the last one is being typed. */
  async function offered(...words: string[]): Promise<string[]> {
    const file = join(testFolder(), 'evertick.bash')
    writeFileSync(file, await script('bash'))
    const ask = `source ${file}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _evertick; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', ask, 'bash', 'evertick', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n')
  }

  test('commands and their commands', async () => {
    expect(await offered('lea')).toEqual(['leader', 'leases'])
    expect(await offered('jobs', 're')).toEqual(['resume', 'retry', 'reset-cursor'])
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })

  test('flags of the command and of all, after flags with values and behind another name', async () => {
    expect(await offered('--database', 'jobs', 'jobs', 'pause', 'nightly', '--re')).toEqual(['--reason'])
    expect(await offered('job', 'list', '--js')).toEqual(['--json'])
    expect(await offered('jobs', 'rm', '--da')).toEqual(['--database'])
  })

  test('the values of a flag, and none of a flag that takes any', async () => {
    expect(await offered('token', 'create', '--role', '')).toEqual(['viewer', 'operator', 'admin'])
    expect(await offered('jobs', 'create', 'a', '--overlap', 'sk')).toEqual(['skip'])
    expect(await offered('jobs', 'pause', 'a', '--reason', '')).toEqual([''])
  })
})

test('zsh and fish have every command and flag, too', async () => {
  const [zsh, fish] = [await script('zsh'), await script('fish')]
  expect(zsh).toMatch(/^#compdef evertick\n/)
  for (const text of [zsh, fish]) {
    for (const word of ['reset-cursor', 'step-down', 'catch-up', 'buffer_one']) expect(text).toContain(word)
  }
  expect(fish).toContain(
    "complete -c evertick -n '__evertick_at jobs pause' -l reason -r -d 'why; shown with the job'",
  )
})

test('another shell is refused', async () => {
  expect((await inProcess(['completion', 'csh'], { cwd: testFolder() })).code).toBe(2)
})
