/** Opens, starts and stops one node, and says with which code that failed. */
import { Evertick, EvertickError } from '../../src/index.ts'
import { configured, say, sayingLogger } from './said.ts'

const { database } = configured() as { database: string }

try {
  const evertick = await Evertick.open({ database, logger: sayingLogger })
  await evertick.start()
  await evertick.stop()
  say('opened')
} catch (error) {
  if (!(error instanceof EvertickError)) throw error
  say('refused', { code: error.code, message: error.message, next: error.next })
  process.exitCode = 3
}
