/** Jobs that nobody can run, named once: after an import they would else be due for ten minutes before anybody hears of it. */
import { handlerKey } from '../../../core/job/handler.ts'
import { missingHandler } from '../../../core/job/missing-handler.ts'
import { plainText } from '../../output/plain-text.ts'
import type { Terminal } from '../../output/terminal.ts'
import type { System } from '../../system.ts'

const looked = 1_000
const shown = 5

export async function nameOrphans(
  evertick: Pick<System, 'jobs' | 'nodes'>,
  terminal: Pick<Terminal, 'say'>,
): Promise<void> {
  const handled = new Set(await evertick.nodes.handlers())
  const { jobs } = await evertick.jobs.list({ limit: looked })
  const orphans = jobs.filter(
    ({ state, handler }) => (state === 'active' || state === 'disabled') && !handled.has(handlerKey(handler)),
  )
  for (const { name, handler } of orphans.slice(0, shown)) {
    const { sentence, next } = missingHandler(handlerKey(handler))
    terminal.say(plainText(`Nobody can run job "${name}": ${sentence} ${next}`))
  }
  const more = orphans.length - shown
  if (more > 0) terminal.say(`… nor ${more} more: see \`evertick jobs list --health disabled\`.`)
}
