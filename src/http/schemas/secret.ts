/** Secrets, as the API shows them: without their values, which only a caller writes. */
import { z } from 'zod'
import { longestSecret } from '../../app/vault/vault.ts'
import { instant, name } from './named.ts'

/** The use case says what a name may be. */
const secretName = z.string().min(1).max(200)

export const secrets = name(
  'Secrets',
  z.object({
    secrets: z.array(
      z.object({
        name: z.string(),
        createdAt: instant,
        createdBy: z.string(),
        changedAt: instant,
        changedBy: z.string(),
        usedBy: z.array(z.string()).describe('Jobs and webhooks whose definition names it'),
      }),
    ),
  }),
)

export const newSecret = name(
  'NewSecret',
  z.strictObject({
    name: secretName,
    value: z.string().max(longestSecret).describe('Written only: no route answers with it'),
  }),
)

export const secretReference = z.strictObject({ name: secretName })

export const rotatedSecrets = name(
  'RotatedSecrets',
  z.object({
    resealed: z.int(),
    unchanged: z.int().describe('They had the newest key already'),
    unreadable: z.array(z.string()).describe('Secrets, and jobs with one, that no key of the node opens'),
  }),
)
