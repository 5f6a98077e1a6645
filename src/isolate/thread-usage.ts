/** What a thread uses, from outside and from inside. Node 22 tells its memory only. */
import { getHeapStatistics, type HeapInfo } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import type { Seen } from '../handlers/usage-meter.ts'

type Told = Partial<Pick<Worker, 'getHeapStatistics' | 'cpuUsage'>>

/** Also of one that never leaves its loop: it is interrupted for it. Null where it has ended, or not begun. */
export async function threadUsage(worker: Told): Promise<Seen | null> {
  try {
    const [heap, cpu] = await Promise.all([worker.getHeapStatistics?.(), worker.cpuUsage?.()])
    return heap === undefined ? null : seen(heap, cpu)
  } catch {
    return null
  }
}

export function ownThreadUsage(): Seen {
  const own: Partial<Pick<NodeJS.Process, 'threadCpuUsage'>> = process
  return seen(getHeapStatistics(), own.threadCpuUsage?.())
}

/** Its heap, and what buffers have outside of it. */
function seen(
  { total_heap_size: heap, external_memory: buffers }: HeapInfo,
  cpu: NodeJS.CpuUsage | undefined,
): Seen {
  return { memory: heap + buffers, cpuMs: cpu === undefined ? null : (cpu.user + cpu.system) / 1_000 }
}
