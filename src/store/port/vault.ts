/** Secrets by name, sealed; and whatever else is sealed, for whoever changes the key. */
import type { HandlerSpec } from '../../core/job/handler.ts'
import type { ChangeContext } from './jobs.ts'

export interface VaultStore {
  /** Of two who set a new name at once, its key refuses the second, who looks again and writes over the first. */
  putSecret(secret: Pick<SecretRow, 'name' | 'sealed'>, by: ChangeContext): Promise<SecretRow>
  findSecrets(names: readonly string[]): Promise<SecretRow[]>
  /** By name. */
  listSecrets(): Promise<SecretRow[]>
  /** Refused while a job names it, unless that is meant. A job that is written at this moment finds it missing when it runs. */
  deleteSecret(
    name: string,
    by: ChangeContext,
    options: { readonly used: 'refuse' | 'delete' },
  ): Promise<DeletedSecret>
  /** The jobs and webhooks that name a secret, in the order of their names. */
  listSecretUses(): Promise<SecretUse[]>
  /** False where it was set anew or deleted meanwhile: then it has the newest key already, or needs none. */
  resealSecret(name: string, seals: Reseal): Promise<boolean>
  /** Jobs with something sealed in them or in a revision of theirs, deleted ones too. */
  listSealedJobs(): Promise<SealedJob[]>
  /** What such a job does, and did by its revisions. */
  listSealedHandlers(jobId: string): Promise<HandlerSpec[]>
  /** Exchanges ciphertexts wherever they stand now: whatever else was edited meanwhile stays. */
  resealJob(id: string, seals: readonly Reseal[]): Promise<void>
}

export interface SecretRow {
  readonly name: string
  readonly sealed: string
  readonly createdAt: number
  readonly createdBy: string
  readonly changedAt: number
  readonly changedBy: string
}

export interface SecretUse {
  readonly job: string
  readonly secrets: readonly string[]
}

export interface DeletedSecret {
  readonly deleted: boolean
  /** The jobs that name it. */
  readonly usedBy: readonly string[]
}

export interface SealedJob {
  readonly id: string
  readonly name: string
}

/** The same value under the key before, and under the newest. */
export interface Reseal {
  readonly from: string
  readonly to: string
}
