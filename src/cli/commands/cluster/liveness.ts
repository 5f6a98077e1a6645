/** Whether a node still runs: by its heartbeat, and on this machine by its process. */

/** A node writes its heartbeat every 10 s. */
const silentAfterMs = 30_000

export function isSilent({ seenAt }: { readonly seenAt: Date }, now = Date.now()): boolean {
  return now - seenAt.getTime() > silentAfterMs
}

/** Only for a process of this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
