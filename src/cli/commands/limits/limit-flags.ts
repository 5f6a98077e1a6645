import { EvertickError } from '../../../core/error.ts'
import type { LimitOptions } from '../../../core/job/limit-form.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'

/** Numbers are checked where they are set; here they are only read. */
export function limitOfFlags({
  concurrency,
  rate,
}: {
  readonly concurrency?: string
  readonly rate?: string
}): LimitOptions {
  return {
    ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
    ...(rate === undefined ? {} : { rate: rateOf(rate) }),
  }
}

function rateOf(text: string): NonNullable<LimitOptions['rate']> {
  const [, count, per] = /^(\d+)\/(.+)$/.exec(text.trim()) ?? []
  if (count !== undefined && per !== undefined) return { count: Number(count), per: per as Duration }
  throw new EvertickError('invalid_option', `--rate cannot be read: ${JSON.stringify(text)}.`, {
    field: '--rate',
    next: 'Write how many may start within which span: --rate 100/1m.',
  })
}
