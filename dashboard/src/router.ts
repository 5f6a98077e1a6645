/** Every screen and its URL. A screen is loaded when it is first opened. */
import { createRouter, createWebHistory } from 'vue-router'

declare module 'vue-router' {
  interface RouteMeta {
    title?: string
  }
}

export const router = createRouter({
  history: createWebHistory(new URL(document.baseURI).pathname),
  scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
  routes: [
    {
      path: '/',
      name: 'overview',
      meta: { title: 'Overview' },
      component: () => import('./screens/overview/Overview.vue'),
    },
    {
      path: '/jobs',
      name: 'jobs',
      meta: { title: 'Jobs' },
      component: () => import('./screens/jobs/Jobs.vue'),
    },
    {
      path: '/jobs/new',
      name: 'new-job',
      meta: { title: 'New job' },
      component: () => import('./screens/job-form/JobForm.vue'),
    },
    {
      path: '/jobs/:id/edit',
      name: 'edit-job',
      meta: { title: 'Edit job' },
      component: () => import('./screens/job-form/JobForm.vue'),
      props: true,
    },
    {
      path: '/jobs/:id/:tab(executions|schedule|settings|revisions|audit)?',
      name: 'job',
      component: () => import('./screens/job/Job.vue'),
      props: true,
    },
    {
      path: '/executions',
      name: 'executions',
      meta: { title: 'Executions' },
      component: () => import('./screens/executions/Executions.vue'),
    },
    {
      path: '/executions/:id',
      name: 'execution',
      component: () => import('./screens/execution/Execution.vue'),
      props: true,
    },
    {
      path: '/timeline',
      name: 'timeline',
      meta: { title: 'Timeline' },
      component: () => import('./screens/timeline/Timeline.vue'),
    },
    {
      path: '/calendar',
      name: 'calendar',
      meta: { title: 'Calendar' },
      component: () => import('./screens/calendar/Calendar.vue'),
    },
    {
      path: '/cluster',
      name: 'cluster',
      meta: { title: 'Cluster' },
      component: () => import('./screens/cluster/Cluster.vue'),
    },
    {
      path: '/alerts/:tab(over|rules)?',
      name: 'alerts',
      meta: { title: 'Alerts' },
      component: () => import('./screens/alerts/Alerts.vue'),
      props: true,
    },
    {
      path: '/webhooks/:name?',
      name: 'webhooks',
      meta: { title: 'Webhooks' },
      component: () => import('./screens/webhooks/Webhooks.vue'),
      props: true,
    },
    {
      path: '/audit/:tab(log)?',
      name: 'audit',
      meta: { title: 'Audit' },
      component: () => import('./screens/audit/Audit.vue'),
      props: true,
    },
    {
      path: '/settings',
      name: 'settings',
      meta: { title: 'Settings' },
      component: () => import('./screens/settings/Settings.vue'),
    },
    {
      path: '/:rest(.*)*',
      name: 'not-found',
      meta: { title: 'Not found' },
      component: () => import('./screens/NotFound.vue'),
    },
  ],
})

router.afterEach(({ meta }) => {
  if (meta.title !== undefined) setTitle(meta.title)
})

export function setTitle(title: string): void {
  document.title = `${title} · Evertick`
}
