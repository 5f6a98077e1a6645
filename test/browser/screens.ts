/** Every screen of the dashboard with its address in the month, for whatever is to hold on all of them. */
import { createClient } from '../../src/client/index.ts'
import type { ServedMonth } from './global-setup.ts'

export interface Screen {
  readonly name: string
  readonly path: string
}

export const invoiceJob = 'billing.send-invoices'
/** Due every hour, so that its month fills the heatmap. */
const hourlyJob = 'import.orders'

export async function screensOf({ url, tokens }: ServedMonth): Promise<Screen[]> {
  const client = createClient({ url, token: tokens.viewer })
  const [job, hourly] = await Promise.all([client.jobs.get(invoiceJob), client.jobs.get(hourlyJob)])
  const { executions } = await client.executions.list({ filter: `job:${invoiceJob} state:failed`, limit: 1 })
  const failed = executions[0] ?? job.lastExecution
  return [
    { name: 'overview', path: '/' },
    { name: 'jobs', path: '/jobs' },
    { name: 'job', path: `/jobs/${hourly.id}?span=30d` },
    { name: 'job-executions', path: `/jobs/${job.id}/executions` },
    { name: 'job-schedule', path: `/jobs/${job.id}/schedule` },
    { name: 'job-settings', path: `/jobs/${job.id}/settings` },
    { name: 'job-revisions', path: `/jobs/${job.id}/revisions` },
    { name: 'job-audit', path: `/jobs/${job.id}/audit` },
    { name: 'new-job', path: '/jobs/new' },
    { name: 'executions', path: '/executions' },
    { name: 'execution', path: `/executions/${failed?.id}` },
    { name: 'timeline', path: '/timeline' },
    { name: 'calendar', path: '/calendar' },
    { name: 'cluster', path: '/cluster' },
    { name: 'alerts', path: '/alerts' },
    { name: 'alert-rules', path: '/alerts/rules' },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'audit', path: '/audit' },
    { name: 'settings', path: '/settings' },
  ]
}
