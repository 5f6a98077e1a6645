/** What the rules ask of the world around the database. */
export interface Member {
  /** As it is written in the database. */
  readonly nodeId: string
  fate: 'alive' | 'frozen' | 'dead'
  /** It was asked to stop: it may leave leases to run out. */
  readonly stopping: boolean
  /** An operator asked it to end the current term, whoever leads. */
  readonly steppingDown: boolean
  /** When it last had any trouble, in true time: a fault, a freeze, a slow answer. */
  readonly troubledAt: number
  readonly clock: { now(): number }
}

export interface Scene {
  /** True time, which nobody in the cluster knows. */
  readonly now: number
  /** Whose commit this is. */
  readonly writer: Member | null
  readonly workerLeaseMs: number
  readonly leaderLeaseMs: number
  /** Clocks are set or drift in this history: what follows from comparing them does not hold. */
  readonly wrongClocks: boolean
  member(nodeId: string): Member | undefined
  /** Whether the server has freed it, for whatever reason. */
  isCut(lifeline: string | null): boolean
}
