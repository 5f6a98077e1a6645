import { join } from 'node:path'
import { afterEach } from 'vitest'
import { describeBackupKills } from './backup-kills.ts'
import { endChildren } from './child.ts'

afterEach(async () => await endChildren())

describeBackupKills('sqlite', async (folder, of) => `sqlite:${join(folder, `${of}.db`)}`)
