/**
 * Seals everything anew under the newest key: secrets by name, and values within jobs, their revisions and webhooks. What
 * runs meanwhile opens both, since every node has both keys. Cut off, it goes on where it was when it is run again.
 */
import { EvertickError } from '../../core/error.ts'
import type { Sealed } from '../../core/job/handler.ts'
import { shownJobName } from '../../core/notice/webhook.ts'
import type { Reseal } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { vaultSlot } from './open-secrets.ts'
import { sealedValuesIn } from './sealed-values.ts'

export interface RotatedSecrets {
  /** By name, and within jobs and webhooks. */
  readonly resealed: number
  /** They have the newest key already. */
  readonly unchanged: number
  /** A secret, or a job with one, that no key of this node opens. They stay as they are. */
  readonly unreadable: readonly string[]
}

export async function rotateSecrets(
  { store, secrets, rest }: AppContext,
  onProgress: (done: number, total: number) => void,
): Promise<RotatedSecrets> {
  const named = await store.vault.listSecrets()
  const jobs = await store.vault.listSealedJobs()
  let [resealed, unchanged, done] = [0, 0, 0]
  const unreadable = new Set<string>()
  const sealAnew = (sealed: Sealed, slot: string, where: string): Reseal | null => {
    const anew = unlessUnreadable(() => secrets.reseal(sealed, slot))
    if (anew === 'unreadable') unreadable.add(where)
    else if (anew === null) unchanged += 1
    return anew === 'unreadable' || anew === null ? null : { from: sealed.sealed, to: anew.sealed }
  }
  const step = async () => {
    done += 1
    onProgress(done, named.length + jobs.length)
    await rest()
  }
  for (const { name, sealed } of named) {
    const seals = sealAnew({ sealed }, vaultSlot(name), name)
    if (seals !== null && (await store.vault.resealSecret(name, seals))) resealed += 1
    await step()
  }
  for (const { id, name } of jobs) {
    const values = (await store.vault.listSealedHandlers(id)).flatMap((handler) =>
      sealedValuesIn(handler, name),
    )
    // A value that did not change has the same ciphertext in many revisions.
    const different = new Map(values.map((value) => [value.sealed.sealed, value]))
    const seals = [...different.values()].flatMap(
      ({ sealed, slot }) => sealAnew(sealed, slot, shownJobName(name)) ?? [],
    )
    if (seals.length > 0) await store.vault.resealJob(id, seals)
    resealed += seals.length
    await step()
  }
  return { resealed, unchanged, unreadable: [...unreadable] }
}

function unlessUnreadable<T>(open: () => T): T | 'unreadable' {
  try {
    return open()
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'secret_unreadable') return 'unreadable'
    throw error
  }
}
