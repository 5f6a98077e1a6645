/** Histograms of a node's own steps, and the outcome of its last proof. */
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../engine/clock.ts'
import type { LastAudit, Measures } from './measures.ts'

const buckets = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10]

/** Returns the function that stops counting. */
export function countMeasures(registry: Registry, measures: Measures, clock: Clock): () => void {
  const registers = [registry]
  const histogram = (name: string, help: string) =>
    new Histogram({ name: `evertick_${name}`, help, buckets, registers })
  const histograms = {
    poll: histogram('poll_duration_seconds', 'How long this node took to look for due jobs while it led.'),
    claim: histogram(
      'claim_duration_seconds',
      'How long claims took on this node, including those that found nothing.',
    ),
    lock_wait: histogram(
      'lock_wait_seconds',
      'How long this node waited for a named lock, until it got it or gave up.',
    ),
  }
  // Before the first audit neither has a value: zero would claim a proof.
  const ofAudit = (name: string, help: string, value: (audit: LastAudit) => number) =>
    new Gauge({
      name: `evertick_${name}`,
      help,
      collect() {
        this.remove()
        if (measures.lastAudit !== null) this.set(value(measures.lastAudit))
      },
      registers: [],
    })
  registry.registerMetric(
    ofAudit(
      'ticks_unaccounted',
      'Ticks without an account, by the last audit on this node.',
      ({ unaccounted }) => unaccounted,
    ),
  )
  registry.registerMetric(
    ofAudit(
      'audit_age_seconds',
      'How long ago this node ran its last audit.',
      ({ at }) => Math.max(0, clock.now() - at) / 1_000,
    ),
  )
  return measures.listen((step, ms) => histograms[step].observe(ms / 1_000))
}
