/** `/secrets`: the vault. Values come in, and none goes out. */
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { flag } from '../schemas/named.ts'
import * as schema from '../schemas/secret.ts'

const tag = 'Secrets'

export const secretRoutes = [
  endpoint({
    method: 'get',
    path: '/secrets',
    role: 'admin',
    heavy: true,
    tag,
    summary: 'List secrets by name, without their values',
    answers: schema.secrets,
    run: async ({ evertick }) => ({ secrets: await evertick.secrets.list() }),
  }),
  endpoint({
    method: 'post',
    path: '/secrets',
    role: 'admin',
    tag,
    takes: 'payload',
    summary: 'Set a secret: a new one, or a new value',
    body: schema.newSecret,
    answers: null,
    status: 204,
    run: async ({ evertick, body, by }) => await evertick.secrets.set(body.name, body.value, by),
  }),
  endpoint({
    method: 'delete',
    path: '/secrets/{name}',
    role: 'admin',
    tag,
    summary: 'Delete a secret that no job names; with `force`, also one that is used',
    params: schema.secretReference,
    query: z.strictObject({ force: flag.default(false) }),
    answers: null,
    status: 204,
    run: async ({ evertick, params, query, by }) =>
      await evertick.secrets.delete(params.name, { ...query, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/secrets/rotate',
    role: 'admin',
    heavy: true,
    tag,
    summary: 'Seal every secret anew under the newest key',
    answers: schema.rotatedSecrets,
    run: async ({ evertick, by }) => await evertick.secrets.rotate(by),
  }),
]
