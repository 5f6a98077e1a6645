/** The watchman, worked by hand: one look at a made-up instant, and what it decides is written under this lead. */
import type { AlertFact } from '../../src/core/alert/alert.ts'
import type { AlertKind } from '../../src/core/alert/alert-kinds.ts'
import type { AlertRule } from '../../src/core/alert/alert-rule.ts'
import { verdictsOf } from '../../src/core/alert/judge.ts'
import type { ChangedAlerts, Fence, Store } from '../../src/store/store.ts'
import { by } from './builders.ts'

export async function watchOnce(
  store: Store,
  { termId, holder }: Fence,
  now: number,
): Promise<ChangedAlerts> {
  const { found, unresolved } = await store.alerts.lookAtAlerts(now)
  const changes = verdictsOf(found, unresolved, now)
  return await store.alerts.changeAlerts({ leader: { termId, holder }, now, changes })
}

type Given<Kind extends AlertKind> = Partial<AlertRule> & { readonly kind: Kind }

/** A rule with everything that a test does not name; written as the only one that is on. */
export async function onlyRule<Kind extends AlertKind>(
  store: Store,
  given: Given<Kind> & { readonly params: Extract<AlertRule, { kind: Kind }>['params'] },
  now: number,
): Promise<void> {
  const base = {
    enabled: true,
    severity: 'warning',
    jobs: null,
    forMs: 0,
    repeatMs: null,
    quiet: null,
  } as const
  for (const { rule } of (await store.alerts.lookAtAlerts(now)).found)
    await store.alerts.putAlertRule({ ...rule, enabled: false }, by(now))
  const rule = { name: 'own', ...base, action: null, ...given }
  await store.alerts.putAlertRule(rule, by(now))
}

/** What the only rule finds: the names, each with its value. */
export async function factsAt(store: Store, now: number): Promise<[string, number | null][]> {
  const { found } = await store.alerts.lookAtAlerts(now)
  const facts: readonly AlertFact[] = found.flatMap((one) => one.facts)
  return facts.map(({ name, value }) => [name, value])
}
