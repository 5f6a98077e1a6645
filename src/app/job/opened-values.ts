/** Header values and variables as a call or a command is given them, and which of them were sealed. */
import { isSealed, type Secretive } from '../../core/job/handler.ts'
import { secretSlot } from './handler-options.ts'
import type { Secrets } from './secrets.ts'

export function openedValues(
  values: Secretive,
  job: string,
  kind: 'headers' | 'env',
  secrets: Secrets,
): { values: Record<string, string>; secrets: string[] } {
  const plain = Object.entries(values).map(
    ([name, value]) =>
      [name, isSealed(value) ? secrets.open(value, secretSlot(job, kind, name)) : value] as const,
  )
  return {
    values: Object.fromEntries(plain),
    secrets: plain.flatMap(([name, value]) => (isSealed(values[name]) ? [value] : [])),
  }
}
