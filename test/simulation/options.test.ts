import { describe, expect, it } from 'vitest'
import { helpText, parseOptions, UsageError } from './campaign/options.ts'

function refused(...args: string[]): UsageError {
  try {
    parseOptions(args)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error(`${args.join(' ')} was accepted`)
}

describe('the options of the simulation', () => {
  it('are 200 seeds of safety, if nothing is said', () => {
    expect(parseOptions([])).toMatchObject({ seeds: 200, from: 1, mode: 'safety', seed: null, workers: null })
  })

  it('are read as they are written', () => {
    const args = [
      '--seeds',
      '1000',
      '--from=7',
      '--mode',
      'liveness',
      '--workers',
      '2',
      '--json',
      '--bug',
      'x',
    ]
    expect(parseOptions(args)).toMatchObject({
      seeds: 1_000,
      from: 7,
      mode: 'liveness',
      workers: 2,
      json: true,
      bug: 'x',
    })
    expect(parseOptions(['--seed', '0', '--trace'])).toMatchObject({ seed: 0, trace: true })
    expect(parseOptions(['--plan', 'x.json', '--keep', 'a'])).toMatchObject({ plan: 'x.json', keep: 'a' })
    expect(parseOptions(['--seed', '3', '--keep', 'a title'])).toMatchObject({ seed: 3, keep: 'a title' })
  })

  it('that nobody knows are refused, with what may be meant', () => {
    expect(refused('--sees', '3')).toMatchObject({
      message: 'There is no option --sees.',
      next: 'Did you mean --seeds?',
    })
    expect(refused('--zzzzzzzz').next).toContain('--help')
    expect(refused('200').next).toContain('--seeds 200')
    expect(refused('--seeds').message).toContain('--seeds')
  })

  it.each([
    ['--seeds', '0'],
    ['--seeds', '1.5'],
    ['--seeds', 'many'],
    ['--seed', '-1'],
    ['--from', '1e3'],
    ['--workers', '0'],
  ])('%s %s is refused', (name, value) => {
    expect(refused(`${name}=${value}`).message).toBe(
      `${name} ${value} is not a whole number from ${name === '--seeds' || name === '--workers' ? 1 : 0} to 1,000,000,000.`,
    )
  })

  it('name one of the modes', () => {
    expect(refused('--mode', 'chaos').next).toBe('Choose one of safety, liveness, soak.')
  })

  it.each([
    [['--trace'], '--seed S --trace'],
    [['--keep', 'x'], '--seed S --keep'],
    [['--keep', ' ', '--seed', '1'], '--keep'],
    [['--keep', 'x', '--seed', '1', '--bug', 'y'], 'Leave out'],
    [['--seed', '1', '--seeds', '2'], '--seeds N'],
    [['--seed', '1', '--plan', 'file.json'], 'Leave one'],
    [['--bugs', '--bug', 'x'], '--bug NAME'],
  ])('%j contradicts itself', (args, next) => {
    expect(refused(...args).next).toContain(next)
  })

  it('are all in the help', () => {
    const names = Object.keys(parseOptions([]))
    for (const name of names) expect(helpText).toContain(`--${name} `)
  })
})
