/** After a death the others go on, to the end of all work; and what must hold then. */
import type { Store } from '../../src/store/store.ts'
import type { ExploredServer, Row, Tables } from '../explorer/server.ts'
import { at, byHand } from '../store/by-hand.ts'
import { type BuiltScene, queues } from './kill-scene.ts'
import { completeWithEffect, purgeAt } from './kill-verbs.ts'

const finalStates = new Set<unknown>(['completed', 'failed', 'cancelled'])
/** Far more than the tries of anything in the scene. */
const mostRounds = 20

/** What is due is accounted, leases run out, and everything is claimed and done. Returns what went wrong. */
export async function goOn(store: Store, server: ExploredServer, scene: BuiltScene): Promise<string[]> {
  const left = await server.rows()
  const hand = byHand(store)
  const { effects } = scene.given
  await hand.work('n3')
  let now = at(300)
  await hand.account(scene.led, now)
  const done: string[] = []
  let ended = await server.rows()
  for (let round = 0; round < mostRounds && unfinished(ended).length > 0; round += 1) {
    await hand.expire(now)
    await store.work.releaseBlocked('any', now)
    for (const queue of queues) {
      for (const claim of await hand.claim(now, { nodeId: 'n3', queue })) {
        await completeWithEffect(store, claim, effects, { nodeId: 'n3', now })
        done.push(claim.id)
      }
    }
    now += 60_000
    ended = await server.rows()
  }
  const audited = await audit(store)
  await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now: purgeAt })
  // Looks for rows in the wrong table, too.
  await server.rows()
  return [...notEndedOnce(left, ended, done), ...audited, ...(await audit(store))]
}

async function audit(store: Store): Promise<string[]> {
  const { unaccounted, doubled, findings } = await store.ticks.auditLedger({})
  const counted = unaccounted + doubled === 0 ? [] : [`${unaccounted} unaccounted, ${doubled} doubled`]
  return [...counted, ...findings.map((finding) => JSON.stringify(finding))]
}

/** What was there is still there, and final; what had ended is as it was; and what was done was done once. */
function notEndedOnce(left: Tables, ended: Tables, done: readonly string[]): string[] {
  const after = new Map(executionsOf(ended).map((row) => [String(row['id']), row]))
  const effects = (ended['effects'] ?? []).map((row) => String(row['execution_id']))
  const ofEach = executionsOf(left).flatMap((row) => {
    const id = String(row['id'])
    const now = after.get(id)
    return now === undefined ? [`lost: ${id}`] : changed(row, now, effects.includes(id))
  })
  return [
    ...ofEach,
    ...unfinished(ended).map((row) => `waits for ever: ${JSON.stringify(row)}`),
    ...repeated(effects).map((id) => `its effect happened twice: ${id}`),
    ...repeated(done).map((id) => `done twice: ${id}`),
  ]
}

function changed(left: Row, now: Row, hasEffect: boolean): string[] {
  const told = JSON.stringify(now)
  if (finalStates.has(left['state'])) {
    return JSON.stringify(left) === told ? [] : [`changed after its end: ${told}`]
  }
  return hasEffect === (now['state'] === 'completed') ? [] : [`its end and its effect disagree: ${told}`]
}

function executionsOf(rows: Tables): readonly Row[] {
  return rows['job_executions'] ?? []
}

function unfinished(rows: Tables): readonly Row[] {
  return executionsOf(rows).filter(({ state }) => !finalStates.has(state))
}

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}
