import type { Answer } from '../../../../src/client/index.ts'

export type Webhook = Answer<'GET /webhooks'>['webhooks'][number]
export type Delivery = Answer<'GET /webhooks/{name}/deliveries'>['deliveries'][number]

/** The server sends no event for what a webhook does. */
export const lookAgainMs = 5_000
