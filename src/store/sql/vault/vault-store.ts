import type { VaultStore } from '../../store.ts'
import { oneMoment, type Scripts } from '../runtime/scripts.ts'
import { listSealedHandlers, listSealedJobs, resealJob } from './sealed-jobs.ts'
import { deleteSecret, findSecrets, listSecrets, listSecretUses, putSecret, resealSecret } from './vault.ts'

export function vaultStore({ read, write }: Scripts): VaultStore {
  return {
    putSecret: (secret, by) => write(() => putSecret(secret, by)),
    findSecrets: (names) => read(() => findSecrets(names)),
    listSecrets: () => read(() => listSecrets()),
    deleteSecret: (name, by, options) => write(() => deleteSecret(name, by, options)),
    listSecretUses: () => read(() => listSecretUses(), oneMoment),
    resealSecret: (name, seals) => write(() => resealSecret(name, seals)),
    listSealedJobs: () => read(() => listSealedJobs(), oneMoment),
    listSealedHandlers: (jobId) => read(() => listSealedHandlers(jobId)),
    resealJob: (id, seals) => write(() => resealJob(id, seals)),
  }
}
