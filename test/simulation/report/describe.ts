/** Changes as a person would tell them. */
import type { Change, ExecutionRow } from '../check/change-log.ts'
import { at } from '../check/ledger-entries.ts'
import type { Model } from '../check/model.ts'

/** Null where there is nothing to tell. */
export function describeChange(change: Change, model: Model): string | null {
  const { writer } = change
  switch (change.table) {
    case 'execution':
      return describeExecution(change.before, change.after, model, writer)
    case 'range': {
      const { after } = change
      if (after === null) return null
      const span = after.count === 1 ? at(after.from_at) : `${at(after.from_at)}–${at(after.to_at)}`
      return `${writer}: ${model.nameOf(after.job_id)}, ${after.count} × ${after.account} (${after.reason}) ${span}`
    }
    case 'job': {
      const { before, after } = change
      if (after === null) return null
      if (before === null) return `${writer}: ${after.name} is made, cursor at ${at(after.accounted_until)}`
      const told: string[] = []
      if (before.state !== after.state) told.push(`${before.state} → ${after.state}`)
      if (before.spec !== after.spec) told.push('edited')
      if (before.deleted_at !== after.deleted_at) told.push('deleted')
      if (before.accounted_until !== after.accounted_until)
        told.push(`cursor ${at(before.accounted_until)} → ${at(after.accounted_until)}`)
      return told.length === 0 ? null : `${writer}: ${after.name} ${told.join(', ')}`
    }
    case 'lock': {
      const { before, after } = change
      const what = (after ?? before)?.name === 'leader' ? 'the lead' : `the lock "${(after ?? before)?.name}"`
      if (after === null) return `${writer} gives up ${what}`
      return after.fence === before?.fence ? null : `${writer} takes ${what} (fence ${after.fence})`
    }
    case 'term': {
      const handled = change.before?.handled_missed_tasks === 0 && change.after?.handled_missed_tasks === 1
      return handled ? `${writer} has handled what was missed before its term` : null
    }
    case 'reserve': {
      const begun = change.after?.begun_to ?? 0
      return begun > (change.before?.begun_to ?? 0)
        ? `${writer} begins its reserve up to place ${begun}`
        : null
    }
    case 'queue':
      return `${writer}: the queue is ${(change.after?.paused_at ?? null) === null ? 'open' : 'paused'}`
    case 'attempt':
      return change.after?.outcome === 'rested'
        ? `${writer}: ${short(change.after.execution_id)} rests`
        : null
    case 'step': {
      const { before, after } = change
      if (after === null || before?.outcome === after.outcome) return null
      const what = before === null && after.outcome === null ? 'begins' : `is ${after.outcome ?? 'open'}`
      return `${writer}: "${after.name}" of ${short(after.execution_id)} ${what}`
    }
    case 'stepEffect':
      return `${writer} commits what "${change.after?.name}" of ${short(change.after?.execution_id ?? '')} wrote`
    case 'notice':
      return change.after === null
        ? null
        : `${writer} tells of ${change.after.type} ${short(change.after.subject)}`
    case 'effect':
      return `${writer} commits the effect of execution ${short(change.after?.execution_id ?? '')}`
  }
}

function describeExecution(
  before: ExecutionRow | null,
  after: ExecutionRow | null,
  model: Model,
  writer: string,
): string | null {
  const row = (after ?? before) as ExecutionRow
  const who = `${model.nameOf(row.job_id)} ${short(row.id)}`
  if (before === null) {
    const tick = row.tick_at === null ? '' : `, tick ${at(row.tick_at)}`
    return `${writer}: ${who} made by ${row.cause}${tick}, ${row.state}`
  }
  if (after === null) return `${writer}: ${who} taken back or pruned`
  if (before.state !== after.state) {
    const lease = after.state === 'running' ? ` by ${after.leased_by} (fence ${after.fence})` : ''
    const reason = after.cancel_reason === null ? '' : ` (${after.cancel_reason})`
    return `${writer}: ${who} ${before.state} → ${after.state}${lease}${reason}, attempt ${after.attempt}`
  }
  if (before.cancel_requested_at !== after.cancel_requested_at) return `${writer}: ${who} is asked to stop`
  return null
}

export function short(id: string): string {
  return `#${id.slice(-6)}`
}
