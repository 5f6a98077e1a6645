/** The tick bar: one mark per tick, newest right; its height is the duration, its colour and shape the outcome. */
import type { ExplainedTickView } from '../../app/job/explain.ts'
import type { ExecutionView } from '../../app/views.ts'
import type { Stream, Style } from './terminal.ts'

const heights = '▂▃▄▅▆▇'

export interface TickMark {
  readonly glyph: string
  readonly style: Style
}

export function tickBar(
  out: Stream,
  ticks: readonly ExplainedTickView[],
  executions: ReadonlyMap<string, ExecutionView>,
): string {
  const durations = ticks.map((tick) => executions.get(tick.executionId ?? '')?.durationMs ?? 0)
  const longest = Math.max(1, ...durations)
  return ticks
    .map((tick, index) => {
      const { glyph, style } = markOf(tick, (durations[index] ?? 0) / longest)
      return out.paint(style, glyph)
    })
    .join('')
}

/** `share` is the duration as a part of the longest one shown. */
export function markOf(tick: ExplainedTickView, share = 0): TickMark {
  switch (tick.account) {
    case 'fired':
    case 'caught_up':
      return executionMark(tick, share)
    case 'coalesced':
      return { glyph: '░', style: 'coalesced' }
    case 'skipped':
      return { glyph: '·', style: 'skipped' }
    case 'unaccounted':
      return { glyph: '!', style: 'failed' }
    case 'undecided':
      return { glyph: '?', style: 'late' }
    case 'upcoming':
      return { glyph: '›', style: 'dim' }
    case 'purged':
      return { glyph: ' ', style: 'dim' }
    default:
      return tick.account satisfies never
  }
}

function executionMark({ account, state }: ExplainedTickView, share: number): TickMark {
  switch (state) {
    case 'failed':
      return { glyph: '✗', style: 'failed' }
    case 'running':
      return { glyph: '▸', style: 'running' }
    case 'retrying':
      return { glyph: '↻', style: 'late' }
    case 'sleeping':
    case 'waiting':
      return { glyph: '◌', style: 'running' }
    case 'pending':
    case 'blocked':
      return { glyph: '○', style: 'running' }
    case 'cancelled':
      return { glyph: '–', style: 'skipped' }
    default:
      if (account === 'caught_up') return { glyph: '▒', style: 'caught_up' }
      return { glyph: heights.charAt(Math.round(share * (heights.length - 1))), style: 'ran' }
  }
}
