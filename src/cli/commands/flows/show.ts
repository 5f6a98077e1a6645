/** `evertick flows show`: its steps as a tree. */
import type { FlowDetail, FlowStepView } from '../../../app/flow/flow-view.ts'
import { shortList } from '../../../core/flow/flow-graph.ts'
import { flowTree, type TreeLine } from '../../../core/flow/flow-tree.ts'
import { countsText } from '../../output/count-words.ts'
import { stateCell } from '../../output/execution-state.ts'
import { flowStateCell } from '../../output/flow-state.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import type { Stream } from '../../output/terminal.ts'
import { durationWords, type Times } from '../../output/times.ts'
import type { Session } from '../../session.ts'

/** More would scroll the rest away; `--json` has all. */
const mostLines = 500

export async function showFlow({ evertick, terminal, times }: Session, id: string): Promise<void> {
  const flow = await evertick.flows.get(id)
  terminal.answer(flow, (out) => {
    out.write(
      `${flow.name === null ? 'Flow' : plainText(flow.name)}  ${flowStateCell(out, flow.state)}  ${countsText(flow.counts)}`,
    )
    out.write(
      `${out.paint('dim', 'made')} ${times.both(flow.createdAt)}${flow.finishedAt === null ? '' : `  ${out.paint('dim', 'ended')} ${times.both(flow.finishedAt)}`}`,
    )
    out.write('')
    writeTree(out, flow, times)
  })
  const [action] = flow.actions
  if (action !== undefined) terminal.say(`Next: \`evertick flows ${action} ${flow.id}\`.`)
}

function writeTree(out: Stream, flow: FlowDetail, times: Times): void {
  const steps = new Map(flow.steps.map((step) => [step.name, step]))
  const lines = flowTree(flow.steps)
  const columns: readonly Column[] = [
    { title: 'STEP', shrinks: true },
    { title: 'JOB', shrinks: true },
    'STATE',
    { title: 'STARTED', optional: true },
    { title: 'TOOK', align: 'right', optional: true },
    { title: 'EXECUTION', optional: true },
  ]
  const shown = lines.slice(0, mostLines).flatMap((line) => {
    const step = steps.get(line.name)
    return step === undefined ? [] : [cells(out, line, step, times)]
  })
  writeTable(out, columns, shown)
  if (lines.length > mostLines) out.write(`… and ${lines.length - mostLines} more; --json has all.`)
}

function cells(out: Stream, { indent, name, also }: TreeLine, step: FlowStepView, times: Times): string[] {
  const after = also.length === 0 ? '' : out.paint('dim', ` (and after ${plainText(shortList(also, 3))})`)
  return [
    `${indent}${plainText(name)}${after}`,
    plainText(step.job),
    stateCell(out, step.state),
    step.startedAt === null ? '' : times.at(step.startedAt),
    step.durationMs === null ? '' : durationWords(step.durationMs),
    step.executionId,
  ]
}
