/**
 * Ends, stops or fails a process at an exact line. Given to a node by `--import`, with
 * `EVERTICK_FAILPOINT=name:nth=kill|stop|hang|throw`: the nth time that the line is reached. The product has no such
 * switch: its source is patched as it is loaded.
 */
import { type Patch, patchSources } from '../simulation/planted/plant.ts'

/** Each stands right before a line that occurs once in its file. */
const lines = {
  'ticks written, not committed': {
    file: 'src/store/sql/ticks/account-ticks.ts',
    before: '  // Last, so that a renewal waits for no more than the commit, and a new leader for all of it.',
  },
  'ticks written and fenced, not committed': {
    file: 'src/store/sql/ticks/account-ticks.ts',
    before: '  return batch.result(true, done)',
  },
  'committed, not on disk': {
    file: 'src/store/sqlite/writer.ts',
    before: '    this.#acknowledgeSynced(group.filter(({ durable }) => durable))',
  },
  'claimed, not begun': {
    file: 'src/engine/worker/queue-worker.ts',
    before: '    const started = result.claimed.filter((claim) => claim.started)',
  },
  'begun, handler not called': {
    file: 'src/engine/worker/performer.ts',
    before: '    const ran = this.#parts.runner.run(claim, held, startedAt)',
  },
  'handler returned, end not written': {
    file: 'src/engine/worker/performer.ts',
    before: '    const ending = this.#endingOf(claim, outcome)',
  },
  "effect and end written, handler's transaction not committed": {
    file: 'src/store/sql/work/complete-within.ts',
    before: '      if (after === null) throw staleLease(claim.id)',
  },
  "handler's transaction committed": {
    file: 'src/engine/worker/performer.ts',
    before: "    if (ran.kind === 'committed') {",
  },
  'end written, not told': {
    file: 'src/engine/worker/finisher.ts',
    before: '    const refused = new Set(result.refused)',
  },
  'deliveries made, notices not removed': {
    file: 'src/store/sql/notices/pass-notices.ts',
    before: '  const gone = yield* run(',
  },
  'notices removed, not committed': {
    file: 'src/store/sql/notices/pass-notices.ts',
    before: '  if (gone !== notices.length) throw new Error(',
  },
  'notices passed on, workers not woken': {
    file: 'src/engine/teller.ts',
    before: '      if (result.deliveries > 0) this.#onDeliveries()',
  },
  'delivered, its end not written': {
    file: 'src/app/webhook/deliver.ts',
    before: '  if (answer.gone) await pauseGone(context.job, parts)',
  },
  'end written, not told to webhooks': {
    file: 'src/store/sql/work/make-final.ts',
    before: '  yield* tellEnded(ended, heard)',
  },
  'alerts changed, not committed': {
    file: 'src/store/sql/alerts/change-alerts.ts',
    before: '  // Last, so that a renewal waits for no more than the commit, and a new leader for all of it.',
  },
  'alerts changed, not said': {
    file: 'src/engine/watchman.ts',
    before: '        opened.push(...changed.opened)',
  },
  'alerts marked as told, nothing written to tell': {
    file: 'src/store/sql/alerts/tell-alerts.ts',
    before: '  if (count > 0) yield* tell([noticeOf(request, first, count), ...apart])',
  },
  'alerts told, not committed': {
    file: 'src/store/sql/alerts/tell-alerts.ts',
    before: '  return { led: true, count }',
  },
  'alerts told, not passed on': {
    file: 'src/engine/watchman.ts',
    before: '      if (!told.led) return this.#elector.doubt(leader.termId)',
  },
} as const satisfies Record<string, { readonly file: string; readonly before: string }>

/** Reached only where a webhook listens. */
export const toldFailpoints = [
  'deliveries made, notices not removed',
  'notices removed, not committed',
  'notices passed on, workers not woken',
  'delivered, its end not written',
  'end written, not told to webhooks',
] as const

/** Reached only where alerts open. */
export const alertFailpoints = [
  'alerts changed, not committed',
  'alerts changed, not said',
  'alerts marked as told, nothing written to tell',
  'alerts told, not committed',
  'alerts told, not passed on',
] as const

export type FailpointName = keyof typeof lines
export const failpointNames = (Object.keys(lines) as FailpointName[]).filter(
  (name) => ![...toldFailpoints, ...alertFailpoints].some((apart) => apart === name),
)

const actions = {
  kill: () => (process.kill(process.pid, 'SIGKILL'), hang()),
  stop: () => process.kill(process.pid, 'SIGSTOP'),
  hang,
  throw: () => {
    throw new Error('the failpoint')
  },
}

/** What a child is started with, to reach the point for the nth time and act. */
export function failpoint(name: FailpointName, nth: number, action: keyof typeof actions) {
  return { EVERTICK_FAILPOINT: `${name}:${nth}=${action}`, NODE_OPTIONS: `--import=${import.meta.url}` }
}

const [, name, nth, action] = /^(.+):(\d+)=(\w+)$/.exec(process.env['EVERTICK_FAILPOINT'] ?? '') ?? []
if (name !== undefined) plantFailpoint(name as FailpointName, Number(nth), action as keyof typeof actions)

function plantFailpoint(name: FailpointName, nth: number, action: keyof typeof actions): void {
  const { file, before } = lines[name]
  const patch: Patch = { file, find: before, replace: `  globalThis.evertickFailpoint()\n${before}` }
  patchSources([patch])
  let reached = 0
  Object.assign(globalThis, {
    evertickFailpoint: () => {
      reached += 1
      if (reached === nth) actions[action]()
    },
  })
}

function hang(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
