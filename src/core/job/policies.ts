/** What a job may choose between, with the words for each choice: forms, tables and pages show the same. */
export interface ChoiceWords {
  /** In a list to choose from. */
  readonly label: string
  readonly sentence: string
}

export const overlapWords = {
  skip: {
    label: 'Skip',
    sentence: 'A tick that is due while the run before still goes on is skipped.',
  },
  buffer_one: {
    label: 'One waits',
    sentence: 'A tick that is due while the run before still goes on waits; at most one waits.',
  },
  buffer_all: {
    label: 'All wait',
    sentence: 'Ticks that are due while the run before still goes on wait in line.',
  },
  cancel_running: {
    label: 'Cancel the run before',
    sentence: 'The next tick cancels the run before, and takes its place.',
  },
  allow: {
    label: 'Allow',
    sentence: 'Runs may go on beside each other.',
  },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export const catchUpWords = {
  none: {
    label: 'Run none',
    sentence: 'Missed ticks do not run; they are written down as skipped.',
  },
  latest: {
    label: 'Run the newest',
    sentence: 'Of missed ticks the newest runs, and stands for the others.',
  },
  all: {
    label: 'Run all',
    sentence: 'Missed ticks run one after the other.',
  },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export const crashWords = {
  retry: {
    label: 'Try again',
    sentence: 'A run whose worker is lost is tried again.',
  },
  fail: {
    label: 'Fail',
    sentence: 'A run whose worker is lost has failed: it runs at most once.',
  },
} as const satisfies Readonly<Record<string, ChoiceWords>>

export type OverlapPolicy = keyof typeof overlapWords
export type CatchUpPolicy = keyof typeof catchUpWords
export type CrashPolicy = keyof typeof crashWords

export const overlapPolicies = namesOf(overlapWords)
export const catchUpPolicies = namesOf(catchUpWords)

/** As a tuple, since a choice has at least one. */
export function namesOf<Name extends string>(words: Readonly<Record<Name, ChoiceWords>>): [Name, ...Name[]] {
  return Object.keys(words) as [Name, ...Name[]]
}
