import { z } from 'zod'

/** No database keeps a NUL in a text. */
export function plainText(min: number, max: number): z.ZodType<string> {
  return z
    .string()
    .min(min)
    .max(max)
    .refine((text) => !text.includes('\0'), 'contains a NUL')
}
