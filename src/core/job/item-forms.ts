/** The items of options that are lists (`is: 'list'` in the table of options): each is an object, or a short text. */
import { afterForm } from './after.ts'
import { limitForm } from './limit-form.ts'

/** `Written` is what a user gives, as an object; `Stored` is complete and checked; `Shown` is what a job shows. */
export interface ItemForm<Written, Stored, Shown extends Written> {
  /** Where its types are, beside the generated ones. */
  readonly types: {
    readonly file: `./${string}.ts`
    readonly written: string
    readonly stored: string
    readonly shown: string
  }
  /** What an item may look like as text: in the help of a flag, in the reference, and in an empty field of a form. */
  readonly examples: readonly string[]
  /** `field` is the item's place, for the message where it cannot be read. */
  readonly stored: (item: Written | string, field: string) => Stored
  readonly shown: (stored: Stored) => Shown
  /** The short text. It is read again as the same item. */
  readonly text: (item: Written | string) => string
}

/** By the name that stands in the table of options. How each is checked: src/app/job/item-shapes.ts. */
export const itemForms = { after: afterForm, limits: limitForm }

export type ItemFormName = keyof typeof itemForms

/** Its items are of whatever type: the table of options pairs each list with its form. */
export const itemFormOf = (name: ItemFormName) => itemForms[name] as ItemForm<unknown, unknown, unknown>
