/** Warns once of jobs that no node can run. Otherwise, after an import, ten minutes would pass before anybody noticed. */
import { handlerKey } from '../../../core/job/handler.ts'
import { missingHandler } from '../../../core/job/missing-handler.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import type { Terminal } from '../../output/terminal.ts'
import type { System } from '../../system.ts'

const maxJobs = 1_000
const shown = 5

export async function warnOfOrphans(
  evertick: Pick<System, 'jobs' | 'nodes'>,
  terminal: Pick<Terminal, 'say'>,
): Promise<void> {
  const handled = new Set(await evertick.nodes.handlers())
  const { jobs } = await evertick.jobs.list({ limit: maxJobs })
  const orphans = jobs.filter(
    ({ state, handler }) => (state === 'active' || state === 'disabled') && !handled.has(handlerKey(handler)),
  )
  for (const { name, handler } of orphans.slice(0, shown)) {
    const { sentence, next } = missingHandler(handlerKey(handler))
    terminal.say(plainText(`No node can run job "${name}": ${sentence} ${next}`))
  }
  const more = orphans.length - shown
  if (more > 0)
    terminal.say(
      `… and ${counted(more, 'more job', 'more jobs')}: see \`evertick jobs list --health disabled\`.`,
    )
}
