import type { SeededRandom } from './seeded-random.ts'

export interface CronShape {
  readonly seconds: boolean
  /** `H` in its forms. */
  readonly hash: boolean
  /** `nW`, `LW`, `L-n`, `nL`, wrapping ranges, `+`, `?`, `5/15`: what other libraries lack or read otherwise. */
  readonly extras: boolean
}

const monthNames = [
  'JAN',
  'feb',
  'Mar',
  'APR',
  'MAY',
  'JUN',
  'JUL',
  'AUG',
  'SEP',
  'OCT',
  'NOV',
  'DEC',
] as const
const weekdayNames = ['SUN', 'Mon', 'tue', 'WED', 'THU', 'FRI', 'SAT'] as const

/**
 * A random expression that is likely to match near a given local time: hours cluster around the usual hours of
 * clock changes, day fields are mostly open.
 */
export function randomCron(random: SeededRandom, shape: CronShape): string {
  const fields = [
    timeField(random, 60, shape, () => random.below(60)),
    timeField(random, 24, shape, () => (random.chance(0.7) ? random.below(5) : random.below(24))),
    random.chance(0.75) ? '*' : dayField(random, shape),
    random.chance(0.85) ? '*' : monthField(random, shape),
    random.chance(0.75) ? '*' : weekdayField(random, shape),
  ]
  if (shape.seconds && random.chance(0.2)) {
    fields.unshift(random.pick(['0', '*', '*/10', '30', '5,50', '59', '*/7', '10-12']))
  }
  return fields.join(' ')
}

function timeField(random: SeededRandom, size: number, shape: CronShape, value: () => number): string {
  const kind = random.below(shape.hash ? 12 : 10)
  if (kind < 3) return '*'
  if (kind < 4) return `*/${random.pick([1, 2, 3, 5, 7, 10, 12, 15, 20])}`
  if (kind < 6) return String(value())
  if (kind < 7) return `${value()},${value()},${value()}`
  if (kind < 9) return range(random, value(), value(), shape.extras) + (random.chance(0.3) ? '/2' : '')
  if (kind < 10) return shape.extras ? `${value()}/${random.between(1, 15)}` : String(value())
  return random.pick(['H', 'H/5', `H(${Math.floor(size / 3)}-${size - 1})`, 'H(0-4)', 'H(0-9)/3'])
}

function range(random: SeededRandom, a: number, b: number, wrapping: boolean): string {
  return wrapping && random.chance(0.3) ? `${a}-${b}` : `${Math.min(a, b)}-${Math.max(a, b)}`
}

function dayField(random: SeededRandom, shape: CronShape): string {
  const day = () => random.between(1, 31)
  const plain = [
    String(random.between(1, 28)),
    `${day()},${random.between(1, 28)}`,
    range(random, random.between(1, 28), day(), shape.extras),
    'L',
    `L,${random.between(1, 28)}`,
  ]
  const extras = [
    '?',
    'LW',
    '15W',
    '1W',
    `${random.between(1, 28)}W`,
    `L-${random.between(0, 27)}`,
    '*/9',
    '1,LW',
  ]
  return random.pick(shape.extras ? [...plain, ...extras, ...(shape.hash ? ['H'] : [])] : plain)
}

function monthField(random: SeededRandom, shape: CronShape): string {
  const month = () => random.between(1, 12)
  const plain = ['3', '10', '11', '4', `${month()},10`, range(random, month(), month(), shape.extras), '*/2']
  // Names only with many months: 31 with one short month would be refused as an impossible date.
  const extras = [`${random.pick(monthNames)}-${random.pick(monthNames)}`, 'MAR,OCT,apr,nov']
  return random.pick(shape.extras ? [...plain, ...extras] : plain)
}

function weekdayField(random: SeededRandom, shape: CronShape): string {
  const weekday = () => random.below(7)
  const plain = ['0', '7', '1-5', '6', `${weekday()},${weekday()}`, `${weekday()}#${random.between(1, 5)}`]
  const names = `${random.pick(weekdayNames)}-${random.pick(weekdayNames)}`
  const extras = [
    '?',
    names,
    '5-7',
    '0-7',
    '7-2',
    '*/2',
    `${weekday()}L`,
    'SUNL',
    'sun#1,SUN#5',
    '+SUN',
    `+${weekday()}-6`,
  ]
  return random.pick(shape.extras ? [...plain, ...extras] : plain)
}
