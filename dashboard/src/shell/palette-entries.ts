/** What the palette offers: what can be done with the job at hand, jobs, pages, and what can be done from anywhere. */
import { computed, type Ref } from 'vue'
import { useRouter } from 'vue-router'
import type { Job } from '../../../src/client/index.ts'
import type { IconName } from '../kit/icons.ts'
import { preferences } from '../preferences.ts'
import { mayAdminister, mayOperate, signOut } from '../session.ts'
import { fitting } from './fuzzy.ts'
import { openKeys } from './keys.ts'
import { places } from './places.ts'

export interface Entry {
  readonly label: string
  readonly note: string
  readonly icon: IconName
  readonly run: () => unknown
}

export interface FoundJob {
  readonly name: string
  readonly scheduleText: string | null
}

export interface PaletteSources {
  readonly wanted: Readonly<Ref<string>>
  readonly found: Readonly<Ref<readonly FoundJob[]>>
  readonly jobAtHand: Readonly<Ref<Job | null>>
  readonly ask: (what: 'run' | 'pause' | 'resume') => void
}

const executionId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

export function usePaletteEntries({ wanted, found, jobAtHand, ask }: PaletteSources) {
  const router = useRouter()

  const onJob = computed<Entry[]>(() => {
    const job = jobAtHand.value
    if (job === null || !mayOperate.value) return []
    const { id, name, actions } = job
    const may = (action: string) => actions.some((each) => each === action)
    return [
      ...(may('trigger')
        ? [{ label: `Run ${name} …`, icon: 'play' as const, note: 'This job', run: () => ask('run') }]
        : []),
      ...(may('pause') && !job.isPaused
        ? [{ label: `Pause ${name} …`, icon: 'pause' as const, note: 'This job', run: () => ask('pause') }]
        : []),
      ...(may('resume')
        ? [{ label: `Resume ${name} …`, icon: 'play' as const, note: 'This job', run: () => ask('resume') }]
        : []),
      ...(mayAdminister.value && may('edit')
        ? [
            {
              label: `Edit ${name}`,
              icon: 'edit' as const,
              note: 'This job',
              run: () => router.push({ name: 'edit-job', params: { id } }),
            },
          ]
        : []),
    ]
  })

  const jobEntry = (name: string, note: string): Entry => ({
    label: name,
    icon: 'jobs',
    note,
    run: () => router.push({ name: 'job', params: { id: name } }),
  })
  const jobs = computed<Entry[]>(() => {
    const recent = fitting(preferences.recentJobs, wanted.value, (name) => name)
    const others = found.value.filter(({ name }) => !recent.includes(name))
    return [
      ...recent.filter((name) => name !== jobAtHand.value?.name).map((name) => jobEntry(name, 'Recent job')),
      ...others.map(({ name, scheduleText }) => jobEntry(name, scheduleText ?? 'No schedule')),
    ]
  })

  const anywhere = computed<Entry[]>(() => [
    ...places.map(({ name, label, icon }) => ({
      label,
      icon,
      note: 'Page',
      run: () => router.push({ name }),
    })),
    ...(mayAdminister.value
      ? [
          {
            label: 'New job',
            icon: 'plus' as const,
            note: 'Action',
            run: () => router.push({ name: 'new-job' }),
          },
        ]
      : []),
    {
      label: 'Failed jobs',
      icon: 'filter',
      note: 'View',
      run: () => router.push({ name: 'jobs', query: { filter: 'last:failed' } }),
    },
    {
      label: 'Paused jobs',
      icon: 'filter',
      note: 'View',
      run: () => router.push({ name: 'jobs', query: { filter: 'state:paused' } }),
    },
    {
      label: 'Audit log',
      icon: 'log',
      note: 'Page',
      run: () => router.push({ name: 'audit', params: { tab: 'log' } }),
    },
    { label: 'Light theme', icon: 'sun', note: 'Theme', run: () => (preferences.theme = 'light') },
    { label: 'Dark theme', icon: 'moon', note: 'Theme', run: () => (preferences.theme = 'dark') },
    {
      label: 'Theme as the system',
      icon: 'screen',
      note: 'Theme',
      run: () => (preferences.theme = 'system'),
    },
    { label: 'Times in UTC', icon: 'globe', note: 'Zone', run: () => (preferences.zone = 'utc') },
    {
      label: "Times in this browser's zone",
      icon: 'globe',
      note: 'Zone',
      run: () => (preferences.zone = 'browser'),
    },
    { label: "Times in each job's zone", icon: 'globe', note: 'Zone', run: () => (preferences.zone = 'job') },
    { label: 'Keys', icon: 'keys', note: 'Help', run: openKeys },
    { label: 'Sign out', icon: 'exit', note: 'Action', run: signOut },
  ])

  return computed<Entry[]>(() => {
    const text = wanted.value
    if (executionId.test(text)) {
      const params = { id: text.toLowerCase() }
      return [
        {
          label: text,
          icon: 'runs',
          note: 'Execution',
          run: () => router.push({ name: 'execution', params }),
        },
      ]
    }
    const label = (entry: Entry) => entry.label
    return [...fitting(onJob.value, text, label), ...jobs.value, ...fitting(anywhere.value, text, label)]
  })
}
