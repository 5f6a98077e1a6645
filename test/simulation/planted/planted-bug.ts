/** A bug as a patch of the product's source. */
export interface Patch {
  /** From the repository's root. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

export interface PlantedBug {
  readonly name: string
  /** What the code does wrong. */
  readonly says: string
  /** The rules that it breaks. Another rule that fails by the way is no catch. */
  readonly rules: readonly string[]
  readonly patches: readonly Patch[]
}
