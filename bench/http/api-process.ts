/** The API in a process of its own, without the limit of one caller: argv has what is given to it, IPC tells its address. */

import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { Evertick } from '../../src/evertick.ts'
import { createApi } from '../../src/http/api.ts'
import { nodeServer } from '../../src/http/node-server.ts'
import type { ApiGiven, ApiSaid } from './child-api.ts'
import { oneCommitEach } from './one-commit-each.ts'

/** Only what must not happen is heard of. */
const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error }
const { database, secret, lanes } = JSON.parse(process.argv[2] ?? '{}') as ApiGiven

const wrap = lanes === null ? {} : { wrap: await oneCommitEach(database, lanes) }
const evertick = await Evertick.openWith({ database, logger }, wrap)
const app = contextOf(evertick)
const access = openAccess(app, apiConfig({ secrets: [secret] }))
const rate = { perSecond: 1e9, burst: 1e9 }
const api = createApi({ evertick, app, access, logger, hosts: null, rate })
const { token } = await access.createToken({ role: 'admin' })
const server = nodeServer(api, logger)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port, token } satisfies ApiSaid)
})
/** Asked for: the longest that the event loop was held since the last question. */
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.on('message', () => {
  // After a turn: what has just ended is counted by then.
  setTimeout(() => {
    process.send?.(delay.max / 1e6)
    delay.reset()
  }, 50)
})
process.on('disconnect', () => process.exit())
