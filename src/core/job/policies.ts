/** The policies of a job, each value with its label and sentence: the CLI, the dashboard and the docs show the same. */
import { keysOf } from '../table-keys.ts'

export interface ChoiceWords {
  /** In a list to choose from. */
  readonly label: string
  readonly sentence: string
}

export const overlapWords = {
  skip: {
    label: 'Skip',
    sentence: 'A tick that is due while the previous run is still going is skipped.',
  },
  buffer_one: {
    label: 'One waits',
    sentence: 'A tick that is due while the previous run is still going waits. At most one waits.',
  },
  buffer_all: {
    label: 'All wait',
    sentence: 'Ticks that are due while the previous run is still going wait in line.',
  },
  cancel_running: {
    label: 'Cancel the previous run',
    sentence: 'The next tick cancels the previous run and takes its place.',
  },
  allow: {
    label: 'Allow',
    sentence: 'Runs may overlap.',
  },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export const catchUpWords = {
  none: {
    label: 'Skip all',
    sentence: 'Missed ticks are skipped.',
  },
  latest: {
    label: 'Run the newest',
    sentence: 'The newest missed tick runs. The others are coalesced into it.',
  },
  all: {
    label: 'Run all',
    sentence: 'Missed ticks run one after the other.',
  },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export const crashWords = {
  retry: {
    label: 'Retry',
    sentence: 'A run whose worker crashes is retried.',
  },
  fail: {
    label: 'Fail',
    sentence: 'A run whose worker crashes has failed: it runs at most once.',
  },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export type OverlapPolicy = keyof typeof overlapWords
export type CatchUpPolicy = keyof typeof catchUpWords
export type CrashPolicy = keyof typeof crashWords

export const overlapPolicies = keysOf(overlapWords)
export const catchUpPolicies = keysOf(catchUpWords)
