/** The port over SQL: each noun has its sub-store, each verb is one script, run by the engine's driver. */
import { type Hints, type HintTopic, noHints } from '../hints.ts'
import { type Lifelines, noLifelines } from '../lifeline.ts'
import type { Store } from '../store.ts'
import { accessStore } from './access/access-store.ts'
import { alertStore } from './alerts/alert-store.ts'
import { auditStore } from './audit/audit-store.ts'
import { backupStore } from './backup/backup-store.ts'
import { checkInStore } from './check-ins/check-in-store.ts'
import { clusterStore } from './cluster/cluster-store.ts'
import { compatStore } from './compat/compat-store.ts'
import { executionStore } from './executions/execution-store.ts'
import type { HotScripts } from './hot-scripts.ts'
import { jobStore } from './jobs/job-store.ts'
import { noticeStore } from './notices/notice-store.ts'
import type { SqlDriver } from './runtime/driver.ts'
import { row, type Script, type ScriptContext, type Step } from './runtime/script.ts'
import { pulse, type Scripts } from './runtime/scripts.ts'
import { stepStore } from './steps/step-store.ts'
import { tickStore } from './ticks/tick-store.ts'
import { vaultStore } from './vault/vault-store.ts'
import { workStore } from './work/work-store.ts'

/** How this store tells other nodes that there is something to look at, and that it lives. */
export interface Signals {
  readonly hints: Hints
  /** The same inside a caller's transaction, where the engine can: heard at its commit. */
  readonly within: ((topic: HintTopic) => Step) | null
  readonly lifelines: Lifelines
}

export function createSqlStore(
  dialect: Store['dialect'],
  driver: SqlDriver,
  hot: HotScripts,
  context: ScriptContext,
  { hints, within, lifelines }: Signals = { hints: noHints, within: null, lifelines: noLifelines },
): Store {
  const telling: Scripts['telling'] = async (written, ...topics) => {
    const result = await written
    for (const topic of topics) hints.send(topic)
    return result
  }
  const scripts: Scripts = {
    driver,
    hot,
    context,
    tellWithin: within,
    read: driver.read.bind(driver),
    write: driver.write.bind(driver),
    writeAndTell: (script, ...topics) => telling(driver.write(script), ...topics),
    telling,
    tellingIf: async (written, worthALook) => {
      const result = await written
      if (worthALook(result)) hints.send('work')
      return result
    },
  }
  return {
    dialect,
    close: async (graceMs) => {
      const hushed = hints.close()
      const untied = lifelines.close()
      // The last hint, and a look at a lifeline, may go by a connection of the driver.
      if (graceMs !== 0) await Promise.all([hushed, untied])
      await Promise.all([hushed, driver.close(graceMs)])
    },
    ping: async () => void (await driver.read(() => row('SELECT 1 AS alive'), pulse)),
    changes: async () => (await driver.changes()) ?? (await driver.read(lastChange, pulse)),
    hears: () => {
      if (!hints.live) return 'nothing'
      return within === null ? 'most' : 'all'
    },
    listen: (listener) => hints.listen(listener),
    holdLifeline: (onChange) => lifelines.hold(onChange),
    longestTransactionMs: driver.longestTransactionMs,
    longestHoldMs: driver.longestHoldMs,
    time: async () => await driver.time(),
    sync: () => driver.sync(),

    work: workStore(scripts),
    ticks: tickStore(scripts),
    jobs: jobStore(scripts),
    executions: executionStore(scripts),
    steps: stepStore(scripts),
    checkIns: checkInStore(scripts),
    cluster: clusterStore(scripts, lifelines, dialect),
    alerts: alertStore(scripts),
    audit: auditStore(scripts),
    notices: noticeStore(scripts),
    access: accessStore(scripts),
    vault: vaultStore(scripts),
    backup: backupStore(scripts, dialect),
    compat: compatStore(scripts),
  }
}

/** What a poll compares: new executions, changed jobs, another leader. Retries and releases come with a worker's own poll. */
function* lastChange(): Script<string> {
  const newest = yield* row(
    `SELECT (SELECT max(seq) FROM @job_executions) AS seq, (SELECT max(updated_at) FROM @jobs) AS updated_at,
       (SELECT fence FROM @locks WHERE name = 'leader') AS fence`,
  )
  return `${newest?.seq}:${newest?.updated_at}:${newest?.fence}`
}
