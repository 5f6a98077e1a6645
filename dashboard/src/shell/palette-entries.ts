/** What the palette offers: commands for the current job, jobs, pages, and general commands. */
import { computed, type Ref } from 'vue'
import { useRouter } from 'vue-router'
import type { Job } from '../../../src/client/index.ts'
import type { IconName } from '../kit/icons.ts'
import { preferences } from '../preferences.ts'
import { mayAdminister, mayOperate, signOut } from '../session.ts'
import { matching } from './fuzzy.ts'
import { openKeys } from './keys.ts'
import { places } from './places.ts'

export interface Entry {
  readonly label: string
  readonly note: string
  readonly icon: IconName
  readonly run: () => unknown
}

export interface MatchingJob {
  readonly name: string
  readonly scheduleText: string | null
}

export interface PaletteSources {
  readonly wanted: Readonly<Ref<string>>
  readonly matches: Readonly<Ref<readonly MatchingJob[]>>
  readonly currentJob: Readonly<Ref<Job | null>>
  readonly open: (dialog: 'run' | 'pause' | 'resume') => void
}

const executionId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

export function usePaletteEntries({ wanted, matches, currentJob, open }: PaletteSources) {
  const router = useRouter()

  const onJob = computed<Entry[]>(() => {
    const job = currentJob.value
    if (job === null || !mayOperate.value) return []
    const { id, name, actions } = job
    const may = (action: string) => actions.some((each) => each === action)
    const edit = () => router.push({ name: 'edit-job', params: { id } })
    const all: (Omit<Entry, 'note'> & { readonly isShown: boolean })[] = [
      { label: `Run ${name} …`, icon: 'play', isShown: may('trigger'), run: () => open('run') },
      {
        label: `Pause ${name} …`,
        icon: 'pause',
        isShown: may('pause') && !job.isPaused,
        run: () => open('pause'),
      },
      { label: `Resume ${name} …`, icon: 'play', isShown: may('resume'), run: () => open('resume') },
      { label: `Edit ${name}`, icon: 'edit', isShown: mayAdminister.value && may('edit'), run: edit },
    ]
    return all.filter(({ isShown }) => isShown).map((entry) => ({ ...entry, note: 'This job' }))
  })

  const jobEntry = (name: string, note: string): Entry => ({
    label: name,
    icon: 'jobs',
    note,
    run: () => router.push({ name: 'job', params: { id: name } }),
  })
  const jobs = computed<Entry[]>(() => {
    const recent = matching(preferences.recentJobs, wanted.value, (name) => name)
    const others = matches.value.filter(({ name }) => !recent.includes(name))
    return [
      ...recent.filter((name) => name !== currentJob.value?.name).map((name) => jobEntry(name, 'Recent job')),
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
      label: 'System theme',
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
    { label: 'Keyboard shortcuts', icon: 'keys', note: 'Help', run: openKeys },
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
    return [...matching(onJob.value, text, label), ...jobs.value, ...matching(anywhere.value, text, label)]
  })
}
