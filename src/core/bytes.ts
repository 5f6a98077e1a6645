/** Sizes as their user writes them: bytes, or '256mb'. A kilobyte is 1,024 bytes, as memory is counted. */
import { EvertickError } from './error.ts'

export type Bytes = number | `${number}${'b' | 'kb' | 'mb' | 'gb'}`

const units = { gb: 2 ** 30, mb: 2 ** 20, kb: 2 ** 10, b: 1 } as const

/** As a check of its form; whether it is whole, `parseBytes` says. */
export const bytesPattern = /^\d+(?:\.\d+)?\s*(?:b|kb|mb|gb)$/i

export function parseBytes(value: unknown, field: string): number {
  const text = String(value).trim().toLowerCase()
  const unit = Object.keys(units).find((name) => text.endsWith(name)) as keyof typeof units | undefined
  const bytes = unit === undefined ? Number(value) : Number.parseFloat(text) * units[unit]
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes
  throw new EvertickError(
    'invalid_definition',
    `${field} is ${JSON.stringify(value)}, which is not a size.`,
    {
      field,
      next: "Give whole bytes, or text such as '256mb' or '2gb'.",
    },
  )
}

/** "256mb": in the largest unit that it is a whole number of. */
export function bytesText(bytes: number): Bytes {
  for (const [unit, size] of Object.entries(units)) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}` as Bytes
  }
  return `${bytes}b`
}

/** "301.5mb": what was used is seldom round. */
export function roundBytes(bytes: number): string {
  const [unit, size] = Object.entries(units).find(([, least]) => bytes >= least) ?? ['b', 1]
  return `${Math.round((bytes / size) * 10) / 10}${unit}`
}
