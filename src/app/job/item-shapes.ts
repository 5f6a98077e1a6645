/** How each form of an item is checked: as it is written, as an object, and as it is shown. */
import { z } from 'zod'
import { afterWords } from '../../core/job/after.ts'
import type { ItemFormName } from '../../core/job/item-forms.ts'
import { keyPath, limitName, mostOfLimit } from '../../core/job/limit-form.ts'
import { keysOf } from '../../core/table-keys.ts'
import type { OptionForms } from './option-shapes.ts'
import { plainText } from './plain-text.ts'

interface ItemShape {
  readonly written: z.ZodType
  readonly shown: z.ZodType
}

export function itemShape(of: ItemFormName, forms: OptionForms): ItemShape {
  return shapes[of](forms)
}

const shapes: Readonly<Record<ItemFormName, (forms: OptionForms) => ItemShape>> = {
  after() {
    const job = plainText(1, 200)
    const on = z.enum(keysOf(afterWords))
    return {
      written: z.strictObject({ job, on: on.optional() }),
      shown: z.object({ job, on }),
    }
  },
  limits({ duration }) {
    const by = z.string().max(1_200).regex(keyPath, 'is not a path, such as input.customer')
    const numbers = limitShape(duration)
    return {
      written: numbers.extend({ by: by.optional() }).refine(hasNumber, noNumber),
      shown: z.union([z.string().regex(limitName), numbers.extend({ by: by.optional() })]),
    }
  },
}

/** The numbers of a limit, also of one that the cluster shares. */
export function limitShape<Duration extends z.ZodType>(duration: Duration) {
  const most = z.int().min(1).max(mostOfLimit)
  return z.strictObject({
    concurrency: most.optional(),
    rate: z.strictObject({ count: most, per: duration }).optional(),
  })
}

export const noNumber = 'has neither concurrency nor rate'

export function hasNumber({ concurrency, rate }: { concurrency?: unknown; rate?: unknown }): boolean {
  return concurrency !== undefined || rate !== undefined
}
