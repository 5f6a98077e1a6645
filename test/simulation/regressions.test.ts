import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from '../../scripts/run-command.ts'
import type { Broken } from './campaign/escapes.ts'
import { runHistory } from './campaign/run-seed.ts'
import { madeUpPlan } from './made-up-plan.ts'
import { bugNamed } from './planted/bugs.ts'
import { ourOwnBugs } from './planted/our-own-bugs.ts'
import {
  keepRegression,
  type Regression,
  readDraft,
  readPlan,
  readRegression,
  readRegressions,
  regressionsFolder,
} from './regressions/regression.ts'

const regression: Regression = {
  title: "A pause isn't forgotten",
  seed: 7,
  mode: 'safety',
  found: '2026-11-16',
  broke: 'a paused job makes nothing',
  plan: madeUpPlan,
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'evertick-regressions-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A bug must be planted before the product is loaded: each in a process of its own, without the test runner's loader. */
async function ruleBrokenWith(bug: string, file: string): Promise<string | undefined> {
  const args = [
    'test/simulation/simulate.ts',
    '--plan',
    join(regressionsFolder, file),
    '--bug',
    bug,
    '--json',
  ]
  const env = { NODE_OPTIONS: '' }
  const { stdout } = await runCommand(process.execPath, ['--no-warnings', ...args], {
    env,
    timeoutMs: 60_000,
  })
  const { broken } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { broken: readonly Broken[] }
  return broken[0]?.rule
}

describe('histories that once broke a rule', () => {
  const kept = readRegressions(regressionsFolder)
  const withBug = kept.flatMap(({ file, regression: { bug, broke } }) =>
    bug === undefined ? [] : [{ file, bug, broke }],
  )

  it('break none any more', { timeout: 60_000 }, async () => {
    const broken: unknown[] = []
    for (const { file, regression } of kept) {
      const ended = await runHistory(regression.plan)
      if (ended.broken !== null) broken.push({ file, ...ended.broken })
    }
    expect(broken).toEqual([])
  })

  it('are kept for every bug of our own, by a rule that it breaks', () => {
    expect(withBug.map(({ bug }) => bug)).toEqual(expect.arrayContaining(ourOwnBugs.map(({ name }) => name)))
    for (const { bug, broke } of withBug) expect(bugNamed(bug).rules).toContain(broke)
  })

  it('break that rule again with their bug', { timeout: 120_000 }, async () => {
    const found: Record<string, string | undefined> = {}
    const waiting = withBug.values()
    // `npm test` is for machines of two cores.
    const lane = async () => {
      for (const { file, bug } of waiting) found[file] = await ruleBrokenWith(bug, file)
    }
    await Promise.all([lane(), lane()])
    expect(found).toEqual(Object.fromEntries(withBug.map(({ file, broke }) => [file, broke])))
  })
})

describe('a regression', () => {
  it('is kept under its title, and read as it was', () => {
    const place = folder()
    const path = keepRegression(place, regression)
    expect(path).toBe(join(place, 'a-pause-isn-t-forgotten.json'))
    expect(readRegressions(place)).toEqual([{ file: 'a-pause-isn-t-forgotten.json', regression }])
    expect(readPlan(path)).toEqual(madeUpPlan)
  })

  it('never takes the place of another', () => {
    const place = folder()
    const path = keepRegression(place, regression)
    const before = readFileSync(path, 'utf8')
    expect(() => keepRegression(place, { ...regression, seed: 8 })).toThrow('EEXIST')
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('that was kept before plans could say more is read as it was meant', () => {
    const path = join(folder(), 'old.json')
    const [first] = madeUpPlan.nodes
    const { lacks: _, ...old } = { ...first, lacks: null }
    writeFileSync(path, JSON.stringify({ ...madeUpPlan, nodes: [old] }))
    expect(readPlan(path).nodes).toEqual([first])
  })

  it('that lacks something says what', () => {
    const path = join(folder(), 'bad.json')
    writeFileSync(path, JSON.stringify({ ...regression, found: 'today', plan: { seed: 7 } }))
    expect(() => readRegression(path)).toThrow('look at found, plan')
    expect(() => readPlan(path)).toThrow('holds no plan')
    writeFileSync(path, JSON.stringify({ ...regression, title: '' }))
    expect(() => readRegression(path)).toThrow('look at title')
    expect(readDraft(path)).toMatchObject({ broke: regression.broke, plan: madeUpPlan })
  })
})
