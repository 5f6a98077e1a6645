/** A server's webhooks under the names of the library, with Dates. */
import type { DeliveryView, WebhookView } from '../../app/webhook/webhook-view.ts'
import type { Body, Client } from '../../client/index.ts'
import type { System } from '../system.ts'
import { gathered } from './lists.ts'
import { instantText, withoutActor } from './remote-jobs.ts'
import { type Instants, viewOf, viewsOf } from './views.ts'

const deliveryInstants: Instants<DeliveryView> = { createdAt: true, nextAttemptAt: true, finishedAt: true }
const webhookInstants: Instants<WebhookView> = {
  pausedAt: true,
  rotatingUntil: true,
  createdAt: true,
  updatedAt: true,
}

function webhookOf(body: { readonly lastDelivery: object | null }): WebhookView {
  const { lastDelivery } = body
  const last = lastDelivery === null ? null : viewOf<DeliveryView>(lastDelivery, deliveryInstants)
  return { ...viewOf<WebhookView>(body, webhookInstants), lastDelivery: last }
}

export function remoteWebhooks({ webhooks }: Client): System['webhooks'] {
  return {
    list: async () => (await webhooks.list()).map(webhookOf),
    get: async (name) => webhookOf(await webhooks.get(name)),
    create: async (webhook) => {
      const created = await webhooks.create(webhook as Body<'POST /webhooks'>)
      return { ...webhookOf(created), secret: created.secret }
    },
    update: async (name, changes) =>
      webhookOf(await webhooks.update(name, changes as Body<'PATCH /webhooks/{name}'>)),
    delete: async (name) => await webhooks.delete(name),
    pause: async (name, options) => webhookOf(await webhooks.pause(name, withoutActor(options))),
    resume: async (name) => webhookOf(await webhooks.resume(name)),
    test: async (name) => await webhooks.test(name),
    rotate: async (name, options) => {
      const rotated = await webhooks.rotate(name, withoutActor(options))
      return { ...rotated, rotatingUntil: new Date(rotated.rotatingUntil) }
    },
    deliveries: async (name, query) => {
      const { limit = 50, cursor, ...asked } = { ...query }
      const { items, nextCursor } = await gathered(limit, cursor, async (place) => {
        const page = await webhooks.deliveries(name, { ...asked, ...place })
        return { ...page, items: page.deliveries }
      })
      return { deliveries: viewsOf<DeliveryView>(items, deliveryInstants), nextCursor }
    },
    resend: async (name, { since, ...options }) =>
      await webhooks.resend(name, {
        ...withoutActor(options),
        ...(since === undefined ? {} : { since: instantText(since, 'since') }),
      }),
  }
}
