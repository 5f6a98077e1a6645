/** The node of the alert kills: a short lease, no jobs of its own. */
import { Evertick } from '../../src/index.ts'
import { timing } from '../process/kill-jobs.ts'
import { configured, say, sayEvents, sayingLogger } from '../process/said.ts'

const { database } = configured() as { database: string }

const evertick = await Evertick.open({ database, ...timing, logger: sayingLogger })
sayEvents(evertick)
await evertick.run()
say('stopped')
