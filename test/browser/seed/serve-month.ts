/** A process of its own that has lived through the month, and serves it until its input ends. Says where, as one line of JSON. */

import { openAccess } from '../../../src/app/access/open-access.ts'
import { contextOf } from '../../../src/app/app-context.ts'
import { apiConfig } from '../../../src/app/config/api-config.ts'
import { accessRoles } from '../../../src/core/access/access-role.ts'
import { openMonth } from './month.ts'
import { secret } from './seed-clock.ts'

const month = await openMonth()
const access = openAccess(contextOf(month.evertick), apiConfig({ secrets: [secret] }))
// Until the month's clock moves, they never end.
const tokens: Record<string, string> = {}
for (const role of accessRoles) tokens[role] = (await access.createToken({ name: role, role })).token
process.stdout.write(`${JSON.stringify({ url: month.url, tokens })}\n`)
process.stdin.resume().on('end', () => void month.stop().then(() => process.exit()))
