/** `/alerts`: what is wrong, who has taken it on, and the rules that say so. */
import { endpoint } from '../endpoint.ts'
import * as schema from '../schemas/alert.ts'
import { reference } from '../schemas/named.ts'

const tag = 'Alerts'

export const alertRoutes = [
  endpoint({
    method: 'get',
    path: '/alerts',
    role: 'viewer',
    tag,
    summary: 'List alerts, newest first',
    query: schema.alertQuery,
    answers: schema.alerts,
    run: async ({ evertick, query }) => await evertick.alerts.list(query),
  }),
  endpoint({
    method: 'get',
    path: '/alerts/count',
    role: 'viewer',
    tag,
    summary: 'How many alerts are not resolved, by their states',
    answers: schema.alertCounts,
    run: async ({ evertick }) => await evertick.alerts.count(),
  }),
  endpoint({
    method: 'get',
    path: '/alerts/rules',
    role: 'viewer',
    tag,
    summary: 'The rules of alerts, by name',
    answers: schema.alertRules,
    run: async ({ evertick }) => ({ rules: await evertick.alerts.rules.list() }),
  }),
  endpoint({
    method: 'post',
    path: '/alerts/rules',
    role: 'admin',
    tag,
    summary: 'Write a rule: a new one, or what is given over the one of that name',
    body: schema.writtenRule,
    answers: schema.alertRule,
    run: async ({ evertick, body, by }) => await evertick.alerts.rules.put(body, by),
  }),
  endpoint({
    method: 'delete',
    path: '/alerts/rules/{name}',
    role: 'admin',
    tag,
    summary: 'Delete a rule; a built-in one is again as it came',
    params: schema.ruleName,
    answers: null,
    status: 204,
    run: async ({ evertick, params, by }) => await evertick.alerts.rules.delete(params.name, by),
  }),
  endpoint({
    method: 'get',
    path: '/alerts/{id}',
    role: 'viewer',
    tag,
    summary: 'One alert',
    params: reference,
    answers: schema.alert,
    run: async ({ evertick, params }) => await evertick.alerts.get(params.id),
  }),
  endpoint({
    method: 'post',
    path: '/alerts/{id}/ack',
    role: 'operator',
    tag,
    summary: 'Take an alert on: it is not told again until it ends',
    params: reference,
    body: schema.ack,
    bodyOptional: true,
    answers: schema.alert,
    run: async ({ evertick, params, body, by }) => await evertick.alerts.ack(params.id, { ...body, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/alerts/{id}/snooze',
    role: 'operator',
    tag,
    summary: 'Do not tell of an alert again until then',
    params: reference,
    body: schema.snooze,
    answers: schema.alert,
    run: async ({ evertick, params, body, by }) =>
      await evertick.alerts.snooze(params.id, { ...body, ...by }),
  }),
]
