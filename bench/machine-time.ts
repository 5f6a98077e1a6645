/** Milliseconds that every process of this machine counts alike: for spans from one process to another. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
