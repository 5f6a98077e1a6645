import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Patience, processorMs } from './campaign/patience.ts'
import { runSeeds } from './campaign/run-seeds.ts'
import { type SeedResult, SeedRunner } from './campaign/seed-runner.ts'
import { bothRoles, madeUpPlan } from './made-up-plan.ts'
import { plainWork } from './plan/leave-out.ts'
import { calm, type Plan } from './plan/plan.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

async function node(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--no-warnings', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

const simulate = async (...args: string[]) => await node(here('simulate.ts'), ...args)

/** Nobody in this cluster can work: whatever is due waits for ever. Hardly anything can be left out of it. */
const workless: Plan = {
  ...madeUpPlan,
  durationMs: 1_000,
  timing: { ...madeUpPlan.timing, leaderLeaseMs: 60_000, heartbeatMs: 20_000 },
  weather: { ...calm, latencyMs: 5 },
  nodes: [{ ...bothRoles, roles: ['scheduler'] }],
  jobs: [{ name: 'job-1', options: { schedule: { every: 5_000 } }, work: plainWork }],
  steps: [],
}

function worklessFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-simulate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'plan.json')
  writeFileSync(path, JSON.stringify(workless))
  return path
}

describe('npm run simulate', () => {
  it('answers with one JSON object in its last line', async () => {
    const { stdout, code } = await simulate('--seeds', '3', '--workers', '2', '--json')
    const answer = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, number>
    const counts = ['ticks', 'crashes', 'failovers', 'refused', 'violations'].map((key) => typeof answer[key])
    expect(new Set(counts)).toEqual(new Set(['number']))
    expect(answer).toMatchObject({ seeds: 3, mode: 'safety', from: 1 })
    expect(answer['ticks']).toBeGreaterThan(0)
    expect(code).toBe(answer['violations'] === 0 ? 0 : 1)
  })

  it('ends with 1 where a rule was broken, and tells the story', async () => {
    const { stdout, code } = await simulate('--plan', worklessFile())
    expect(code).toBe(1)
    expect(stdout).toContain('What broke: nothing waits for ever')
    expect(stdout).toContain('n1.1 takes the lead')
    expect(stdout).toMatch(/made smaller in \d+ runs?: 1 node, 1 job, 0 steps/)
  })

  it('shows everything with --trace, and what broke', async () => {
    const { stdout, code } = await simulate('--plan', worklessFile(), '--trace')
    expect(code).toBe(1)
    expect(stdout).toContain('0:00.000  n1.1 starts\n')
    expect(stdout).toContain('✗ nothing waits for ever: 1 seed')
  })

  it('ends with 2 where it is called wrongly, and says what to do', async () => {
    const wrong = await simulate('--sees', '3')
    expect(wrong).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'There is no option --sees. Did you mean --seeds?\n',
    })
    const unknown = await simulate('--bug', 'ladybird')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Choose one of ')
  })
})

describe('a campaign', () => {
  it('runs each seed once, and stops when it has heard enough', async () => {
    const heard: number[] = []
    const campaign = { from: 5, seeds: 50, mode: 'safety', workers: 2, bug: null } as const
    await runSeeds(campaign, ({ seed }: SeedResult) => {
      heard.push(seed)
      return heard.length === 2 ? 'enough' : 'more'
    })
    // Those that were begun are ended, and heard.
    expect(heard.toSorted((a, b) => a - b)).toEqual([5, 6, 7])
  })

  it('counts a history that takes its process along as broken', async () => {
    const runner = await SeedRunner.start(null)
    const running = runner.run({ seed: 1, mode: 'safety' })
    process.kill(runner.pid, 'SIGKILL')
    expect((await running).broken).toMatchObject({ rule: 'the process survives' })
    expect(runner.alive).toBe(false)
  })

  it('waits for a history as long as it moves, up to a limit of processor time', () => {
    let used: number | null = 1_000
    const patience = new Patience(180_000, () => used)
    for (const next of [1_010, 60_000, 90_999]) {
      used = next
      expect(patience.isOver()).toBe(false)
    }
    used = 91_000
    expect(patience.isOver()).toBe(true)
    expect(new Patience(180_000, () => 500).isOver()).toBe(true)
    expect(new Patience(180_000, () => null).isOver()).toBe(true)
  })

  it.runIf(process.platform === 'linux')('reads the processor time of a process', () => {
    const { user, system } = process.cpuUsage()
    const read = processorMs(process.pid) ?? 0
    const since = process.cpuUsage()
    expect(read).toBeGreaterThanOrEqual((user + system) / 1_000 - 20)
    expect(read).toBeLessThanOrEqual((since.user + since.system) / 1_000 + 20)
  })

  it('does not begin where the simulation cannot be loaded', async () => {
    const campaign = { from: 1, seeds: 2, mode: 'safety', workers: 1, bug: 'ladybird' } as const
    await expect(runSeeds(campaign, () => 'more')).rejects.toThrow('could not be loaded')
  })
})

describe('an error that nobody catches', () => {
  const caught = async (what: string) => {
    const script = `
      const { catchEscapes } = await import(${JSON.stringify(here('campaign/escapes.ts'))})
      const { escaped } = await catchEscapes(async () => { ${what} })
      console.log(JSON.stringify(escaped))`
    const { stdout } = await node('--input-type=module', '--eval', script)
    return JSON.parse(stdout) as { rule: string; message: string } | null
  }

  it('breaks a rule of its own', async () => {
    const rejected = await caught(`void Promise.reject(new Error('lost'))`)
    expect(rejected?.rule).toBe('no error escapes')
    expect(rejected?.message).toContain('lost')
    const thrown = await caught(`process.nextTick(() => { throw new Error('thrown') })`)
    expect(thrown?.message).toContain('thrown')
    expect(await caught('')).toBeNull()
  })
})
