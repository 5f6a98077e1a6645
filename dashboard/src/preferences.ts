/** What this browser remembers: theme, zone, the rail, saved views. Nothing of the server's. */
import { reactive, watch } from 'vue'

export type Theme = 'system' | 'light' | 'dark'
/** Whose zone times are shown in: that of the job at hand, this browser's, or UTC. */
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
  /** The end of the newest gap whose story was read. */
  awayReadUntil: string
  /** Names, the newest first: what the palette offers before anything is typed. */
  recentJobs: string[]
}

const key = 'evertick'
const usual: Preferences = {
  theme: 'system',
  zone: 'browser',
  railIsNarrow: false,
  views: [],
  awayReadUntil: '',
  recentJobs: [],
}

export const preferences: Preferences = reactive({ ...usual, ...read() })

watch(preferences, () => {
  applyTheme()
  try {
    localStorage.setItem(key, JSON.stringify(preferences))
  } catch {
    // A browser that keeps nothing still shows everything.
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
