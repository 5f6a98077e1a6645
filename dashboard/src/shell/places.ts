/** The pages of the main navigation, the palette and the shortcuts. */
import type { IconName } from '../kit/icons.ts'

export interface Place {
  readonly name: string
  readonly label: string
  readonly icon: IconName
  /** Pressed after `g`. */
  readonly key: string
  /** Other screens that belong to it. */
  readonly within?: readonly string[]
}

export const places: readonly Place[] = [
  { name: 'overview', label: 'Overview', icon: 'overview', key: 'o' },
  { name: 'jobs', label: 'Jobs', icon: 'jobs', key: 'j', within: ['job', 'new-job', 'edit-job'] },
  { name: 'executions', label: 'Executions', icon: 'runs', key: 'e', within: ['execution'] },
  { name: 'timeline', label: 'Timeline', icon: 'timeline', key: 't' },
  { name: 'calendar', label: 'Calendar', icon: 'calendar', key: 'c' },
  { name: 'cluster', label: 'Cluster', icon: 'cluster', key: 'l' },
  { name: 'alerts', label: 'Alerts', icon: 'bell', key: 'w' },
  { name: 'webhooks', label: 'Webhooks', icon: 'link', key: 'h' },
  { name: 'audit', label: 'Audit', icon: 'log', key: 'a' },
  { name: 'settings', label: 'Settings', icon: 'settings', key: 's' },
]

/** Whether a screen belongs to a place. */
export function isIn(place: Place, screen: unknown): boolean {
  return place.name === screen || place.within?.some((name) => name === screen) === true
}
