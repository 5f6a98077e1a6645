import { describe, expect, it } from 'vitest'
import { madeUpPlan } from './made-up-plan.ts'
import type { TraceLine } from './report/excerpt.ts'
import { sinceStart } from './report/since-start.ts'
import { stepWords } from './report/step-words.ts'
import { storyLines } from './report/story.ts'

const broken = {
  rule: 'each tick has one account',
  message: 'job-1: 01:00:00.000 has two',
  job: 'job-1',
}

const told = (lines: readonly string[]): TraceLine[] =>
  lines.map((line, index) => ({ atMs: index * 1_000, line }))

function storyOf(lines: readonly string[], more: Partial<Parameters<typeof storyLines>[0]> = {}): string {
  const trace = [...told(lines), { atMs: lines.length * 1_000, line: `✗ ${broken.rule}: ${broken.message}` }]
  return storyLines({
    plan: madeUpPlan,
    drawn: madeUpPlan,
    broken,
    trace,
    runs: 12,
    next: ['Replay: …'],
    ...more,
  }).join('\n')
}

/** A run of a tick that goes well, in four lines. */
const goodRun = (id: string, tick: string) => [
  `n1.1: job-1 ${id} made by schedule, tick ${tick}, pending`,
  `n1.1: job-1 ${id} pending → running by n1.1 (fence 1), attempt 1`,
  `n1.1 commits the effect of execution ${id}`,
  `n1.1: job-1 ${id} running → completed, attempt 1`,
]

describe('the story of a failing seed', () => {
  it('says what the cluster was', () => {
    const story = storyOf(['n1.1 starts'])
    expect(story).toContain('Seed 7, safety\n')
    expect(story).toContain('from 2027-03-28T00:56:30.000Z on')
    expect(story).toContain('3 nodes: n1 (scheduler and worker, 2 at once), n2')
    expect(story).toContain("leader's lease is 4 s, renewed every 1.3 s; a worker's 10 s.")
    expect(story).toContain("Clocks: n2's is 2 s behind.")
    expect(story).toContain('Calls of the store take up to 300 ms each way and are refused (2 %).')
  })

  it('says what the job was, and what of it was due', () => {
    const lines = Array.from({ length: 300 }, () => 'n1.1 starts')
    const story = storyOf(lines)
    expect(story).toContain('Every 2 minutes (Europe/Madrid).')
    expect(story).toContain('Due at 00:58:00 and 01:00:00 UTC, unless edited.')
    expect(story).toContain('Overlap buffer_one.')
    expect(story).toContain(
      'Its runs take 0 ms or 400 ms; 10 % throw; their effect goes through ctx.transaction',
    )
    expect(story).not.toContain('Every 5 seconds')
  })

  it('tells who led, what befell whom and what became of the job, and nothing else', () => {
    const story = storyOf([
      'n1.1 starts',
      'n1.1 takes the lead (fence 1)',
      '— n1 is to be killed, and to start again after 2 s',
      'n1.1 is killed',
      '— the database is down for 500 ms',
      'n2.1 takes the lead (fence 2)',
      'n2.1: job-1 #aaaaaa made by schedule, tick 01:00:00.000, pending',
      'n2.1: job-2 #bbbbbb made by schedule, tick 01:00:01.000, pending',
      'n2.1 commits the effect of execution #aaaaaa',
      'n2.1 commits the effect of execution #bbbbbb',
      'n2.1 says: Could not look for changes; trying again',
      'operator answers pause: done',
    ])
    const shown = story.split('\n').flatMap((line) => /\d\d:\d\d:\d\d\.\d{3} {2}(.+)/.exec(line)?.[1] ?? [])
    expect(shown).toEqual([
      'n1.1 starts',
      'n1.1 takes the lead (fence 1)',
      'n1.1 is killed',
      '— the database is down for 500 ms',
      'n2.1 takes the lead (fence 2)',
      'n2.1: job-1 #aaaaaa made by schedule, tick 01:00:00.000, pending',
      'n2.1 commits the effect of execution #aaaaaa',
    ])
    expect(story).toContain('Led by n1.1 from 0:01.000 on and n2.1 from 0:05.000 on.')
    expect(story).toContain('   0:03.000  00:56:33.000  n1.1 is killed')
  })

  it('ends with what broke and how to see it again', () => {
    const last = storyOf(['n1.1 starts']).split('\n').slice(-4)
    expect(last).toEqual([
      'What broke: each tick has one account',
      '  job-1: 01:00:00.000 has two',
      '',
      'Replay: …',
    ])
  })

  it('tells an outage once for each node, and not by each call', () => {
    const story = storyOf([
      'n1.1 calls changes: down',
      'n2.1 calls renewTerm: down',
      'n1.1 calls claimExecutions: down',
      'n1.1 calls changes: down',
      'n1.1 is killed',
      'n2.1 calls renewTerm: down',
    ])
    expect(story).toContain('n1.1 calls the store 3 times: down')
    expect(story.match(/n2\.1 calls renewTerm: down/g)).toHaveLength(2)
  })

  it('leaves out runs that went well, but for those that the break is about', () => {
    const ticks = ['00:58:00.000', '01:00:00.000', '01:02:00.000', '01:04:00.000', '01:06:00.000']
    const story = storyOf([
      'n1.1 takes the lead (fence 1)',
      ...ticks.flatMap((tick, index) => goodRun(`#00000${index}`, tick)),
      'n1.1: job-1 #000009 made by schedule, tick 01:00:00.000, pending',
    ])
    expect(story).not.toContain('#000000')
    expect(story).toContain('#000001 made by schedule, tick 01:00:00.000')
    expect(story).not.toContain('#000002')
    expect(story).toContain('#000004 running → completed')
    expect(story).toContain('… 1 run that went well')
  })

  it('tells how a range of ticks began and what it came to', () => {
    const grown = [2, 3, 4].flatMap((count) => [
      `n1.1: job-1, ${count} × skipped (overlap) 00:58:00.000–01:0${count}:00.000`,
      'n1.1: job-2, 1 × skipped (overlap) 00:58:00.000',
    ])
    const story = storyOf(['n1.1: job-1, 1 × skipped (overlap) 00:58:00.000', ...grown])
    expect(story.match(/\d × skipped.*/g)).toEqual([
      '1 × skipped (overlap) 00:58:00.000',
      '4 × skipped (overlap) 00:58:00.000–01:04:00.000',
    ])
  })

  it('tells a run that did not go well, however long ago', () => {
    const story = storyOf([
      'n1.1: job-1 #0000ff made by schedule, tick 00:57:00.000, pending',
      'n1.1: job-1 #0000ff running → failed, attempt 3',
      ...Array.from({ length: 9 }, (_, index) => goodRun(`#00000${index}`, `01:1${index}:00.000`)).flat(),
    ])
    expect(story).toContain('#0000ff running → failed, attempt 3')
  })

  it('is at most some 60 lines long, the last and the gravest of them', () => {
    const noise = Array.from({ length: 500 }, (_, index) => `n1.1: job-1 cursor ${index} → ${index + 1}`)
    const story = storyOf(['n1.1 starts', 'n1.1 takes the lead (fence 1)', ...noise])
    const shown = story.split('\n').filter((line) => /\d\d:\d\d:\d\d\.\d{3} {2}/.test(line))
    expect(shown).toHaveLength(60)
    expect(shown[1]).toContain('takes the lead')
    expect(shown.at(-1)).toContain('cursor 499 → 500')
    expect(story).toContain('… 442 more')
  })

  it('is about a node, where the rule names no job', () => {
    const story = storyOf(['n1.1 says: hello', 'n2.3 says: could not stop', 'n2.3: job-2 edited'], {
      broken: { rule: 'a stop leaves nothing behind', message: 'n2.3 left 1 timer', job: null },
    })
    expect(story).toContain('n2.3 says: could not stop')
    expect(story).toContain('n2.3: job-2 edited')
    expect(story).not.toContain('n1.1 says')
  })

  it('says how much smaller it became', () => {
    const plan = { ...madeUpPlan, nodes: madeUpPlan.nodes.slice(0, 1), steps: [], durationMs: 1_000 }
    expect(storyOf(['n1.1 starts'], { plan })).toContain(
      'made smaller in 12 runs: 1 node, 2 jobs, 0 steps and 1 s, of 3 nodes, 2 jobs, 8 steps and 240 s',
    )
  })
})

describe('a step', () => {
  it.each([
    ['an operator, through n3, pauses job-1', 1],
    ["n3's clock is set 30 s back", 5],
    ['an operator takes a lock of 2 s for 1 s', 6],
    ['n1 is to be killed, and to start again after 2 s', 0],
  ])('reads: %s', (words, index) => {
    const step = madeUpPlan.steps[index]
    expect(step && stepWords(step)).toBe(words)
  })
})

describe('the time since the start', () => {
  it.each([
    [0, '0:00.000'],
    [7_412.9, '0:07.412'],
    [3_723_004, '1:02:03.004'],
  ])('%d ms is %s', (ms, text) => {
    expect(sinceStart(ms)).toBe(text)
  })
})
