/** The alerts of a server, under the names of the library. */
import type { AlertView } from '../../app/alerts/alerts.ts'
import type { RuleView } from '../../app/alerts/rule-options.ts'
import type { Body, Client } from '../../client/index.ts'
import type { System } from '../system.ts'
import { gathered } from './lists.ts'
import { withoutActor } from './remote-jobs.ts'
import { type Instants, viewOf, viewsOf } from './views.ts'

const alertInstants: Instants<AlertView> = {
  openedAt: true,
  resolvedAt: true,
  acknowledgedAt: true,
  snoozedUntil: true,
}
const ruleInstants: Instants<RuleView> = { changedAt: true }

export function remoteAlerts({ alerts }: Client): System['alerts'] {
  const { rules } = alerts
  return {
    list: async (asked) => {
      const { limit = 100, cursor, state, ...query } = { ...asked }
      const states = state === undefined ? {} : { state: [state].flat() }
      return await gathered(limit, cursor, async (place) => {
        const page = await alerts.list({ ...query, ...states, ...place })
        return { ...page, items: page.alerts }
      }).then(({ items, nextCursor }) => ({ alerts: viewsOf<AlertView>(items, alertInstants), nextCursor }))
    },
    get: async (id) => viewOf(await alerts.get(id), alertInstants),
    count: async () => await alerts.count(),
    ack: async (id, options) => viewOf(await alerts.ack(id, withoutActor(options)), alertInstants),
    snooze: async (id, options) =>
      viewOf(
        await alerts.snooze(id, withoutActor(options) as Body<'POST /alerts/{id}/snooze'>),
        alertInstants,
      ),
    rules: {
      list: async () => viewsOf<RuleView>(await rules.list(), ruleInstants),
      put: async (rule) => viewOf(await rules.put(rule as Body<'POST /alerts/rules'>), ruleInstants),
      delete: async (name) => await rules.delete(name),
    },
  }
}
