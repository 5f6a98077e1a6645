/** What this browser remembers: theme, time zone, sidebar, saved views. Nothing from the server. */
import { reactive, watch } from 'vue'

export type Theme = 'system' | 'light' | 'dark'
/** The time zone that times are shown in: the job's, this browser's, or UTC. */
export type ZoneChoice = 'job' | 'browser' | 'utc'

export interface SavedView {
  readonly name: string
  readonly filter: string
  readonly sort: string
}

interface Preferences {
  theme: Theme
  zone: ZoneChoice
  railIsNarrow: boolean
  views: SavedView[]
  /** The end of the last gap that the "While you were away" card was dismissed for. */
  awayReadUntil: string
  /** Names, newest first: the palette offers them before anything is typed. */
  recentJobs: string[]
}

const key = 'evertick'
const defaults: Preferences = {
  theme: 'system',
  zone: 'browser',
  railIsNarrow: false,
  views: [],
  awayReadUntil: '',
  recentJobs: [],
}

export const preferences: Preferences = reactive({ ...defaults, ...read() })

watch(preferences, () => {
  applyTheme()
  try {
    localStorage.setItem(key, JSON.stringify(preferences))
  } catch {
    // Without storage, preferences last until the page is closed.
  }
})

export function applyTheme(): void {
  if (preferences.theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = preferences.theme
}

function read(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Preferences>
  } catch {
    return {}
  }
}
