/** What a history came to, in numbers. */
export interface Tally {
  virtualMs: number
  ticks: number
  attempts: number
  /** Functions of steps that were called; and of those that had run before, but whose memo was not written. */
  steps: number
  repeated: number
  crashes: number
  failovers: number
  refused: number
  faults: number
  events: number
}

/** Of a history that told nothing. */
export const noTally: Readonly<Tally> = {
  virtualMs: 0,
  ticks: 0,
  attempts: 0,
  steps: 0,
  repeated: 0,
  crashes: 0,
  failovers: 0,
  refused: 0,
  faults: 0,
  events: 0,
}
