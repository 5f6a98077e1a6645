/** Crontabs from a seed: the same seed, the same text. */
export function randomCrontab(seed: number): string {
  const random = dice(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const number = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const field = (min: number, max: number, names: readonly string[] = []) => {
    const from = number(min, max)
    const to = number(from, max)
    return pick([
      () => '*',
      () => String(from),
      () => `${from}-${to}`,
      () => `*/${number(1, 9)}`,
      () => `${from}-${to}/${number(1, 9)}`,
      () => `${from},${to}`,
      () => (names.length === 0 ? '*' : pick(names)),
    ])()
  }
  const cron = () =>
    random() < 0.2
      ? pick(['@daily', '@hourly', '@weekly', '@monthly', '@yearly', '@reboot'])
      : [
          field(0, 59),
          field(0, 23),
          pick(['*', '*', field(1, 28)]),
          field(1, 12, ['jan', 'DEC']),
          field(0, 6, ['mon', 'SAT']),
        ].join(' ')
  const words = [
    'report',
    'backup',
    'Ünïcode',
    "it's",
    '50\\% off',
    'a=b',
    '/opt/run.sh',
    '%',
    '\\\\',
    '"q"',
    '-',
    '#',
    '$(date)',
  ]
  const text = (count: number) => Array.from({ length: count }, () => pick(words)).join(' ')
  const system = random() < 0.3
  const user = () => (system ? `${pick(['root', 'www-data', 'nobody'])} ` : '')
  const line = () => {
    const comment = Array.from({ length: number(0, 2) }, () => `# ${text(number(0, 3))}\n`).join('')
    return `${comment}${cron()} ${user()}run ${text(number(1, 4))}`
  }
  const other = () =>
    pick([
      '',
      'MAILTO=x',
      'CRON_TZ=Europe/Madrid',
      'CRON_TZ=',
      'TZ=Asia/Tokyo',
      '# alone\n',
      'CRON_TZ=Nowhere',
    ])
  const lines = Array.from({ length: number(1, 12) }, () => (random() < 0.7 ? line() : other()))
  return system ? ['0 0 * * * root always', ...lines].join('\n') : lines.join('\n')
}

/** mulberry32 */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
