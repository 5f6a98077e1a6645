/**
 * The parts of an attempt as spans below whatever is active, which is its attempt where the handler opens none of its own.
 * Only names: what steps return and signals carry may be secret.
 */
import type { StepKind } from '../core/execution/step.ts'
import type { StepEnd, TraceSteps } from '../engine/context.ts'
import type { Spans } from './spans.ts'

const spanName = 'evertick.step'

export function stepSpans(spans: Spans): TraceSteps {
  return {
    step: async (name, run, errorOf) =>
      await spans.within(
        spanName,
        { options: { attributes: named(name, 'step') }, errorOf },
        async (span) => {
          // Until it returns.
          span.setAttribute('evertick.outcome', 'error')
          const done = await run((tries) => void span.setAttribute('evertick.step.tries', tries))
          span.setAttribute('evertick.outcome', 'done')
          return done
        },
      ),
    ended: ({ name, kind, outcome, begunMsAgo, endedMsAgo }: StepEnd) => {
      const now = Date.now()
      const attributes = { ...named(name, kind), 'evertick.outcome': outcome }
      spans.past(spanName, { attributes, startTime: now - begunMsAgo }, now - endedMsAgo)
    },
    remembered: (name, kind) =>
      void spans.api.trace.getActiveSpan()?.addEvent('evertick.step.remembered', named(name, kind)),
  }
}

function named(name: string, kind: StepKind) {
  return { 'evertick.step': name, 'evertick.step.kind': kind }
}
