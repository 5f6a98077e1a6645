/** Who did something, by name, for one line of a terminal. */
import { actorName } from '../../core/access/person.ts'
import { plainText } from './plain-text.ts'

export function actorText(actor: string | null, nobody = 'someone'): string {
  return actor === null ? nobody : plainText(actorName(actor))
}
