/** Opens secrets by their names. They are read whenever they are asked for: a new value holds from the next run on, everywhere. */
import { EvertickError } from '../../core/error.ts'
import type { Store } from '../../store/store.ts'
import type { Secrets } from './secrets.ts'

export interface VaultParts {
  readonly store: Pick<Store, 'vault'>
  readonly secrets: Pick<Secrets, 'open'>
}

export async function openSecrets(
  names: readonly string[],
  { store, secrets }: VaultParts,
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map()
  const found = new Map((await store.vault.findSecrets(names)).map((secret) => [secret.name, secret]))
  return new Map(
    names.map((name) => {
      const secret = found.get(name)
      if (secret === undefined) throw secretMissing(name)
      return [name, secrets.open(secret, vaultSlot(name))]
    }),
  )
}

export async function openSecret(name: string, parts: VaultParts): Promise<string> {
  return (await openSecrets([name], parts)).get(name) ?? ''
}

/** Where its value belongs: under another name it does not open. No job has an empty name. */
export function vaultSlot(name: string): string {
  return ['', 'vault', name].join('\0')
}

export function secretMissing(name: string, next = `Run \`evertick secrets set ${name}\`.`): EvertickError {
  return new EvertickError('secret_missing', `No secret is named "${name}".`, { next })
}
