/** Alerts come from the leader's looks, which no live event tells of: they are asked for as often as it looks. */
export const alertsEveryMs = 15_000
