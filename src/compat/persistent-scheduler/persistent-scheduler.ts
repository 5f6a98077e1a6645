/** `PersistentScheduler`: crons whose runs are caught up after a restart, from a JSON file or a database. */
import { DatabaseMemory } from './database-memory.ts'
import { diskFiles, type Files } from './disk-files.ts'
import { FileMemory } from './file-memory.ts'
import type { PersistentJobState } from './job-book.ts'
import type { Memory } from './memory.ts'
import type { ScheduledJob } from './scheduled-job.ts'
import { Scheduler } from './scheduler.ts'
import {
  type PersistentConfig,
  type PersistentScheduleJobConfig,
  type PersistentSchedulerConfig,
  parsePersistentConfig,
} from './scheduler-config.ts'
import { schedulerLogger } from './scheduler-logger.ts'

export class PersistentScheduler extends Scheduler {
  /** Does nothing before `initialize()` or the first `schedule()`. `files` is for tests. */
  constructor(config: PersistentSchedulerConfig = {}, files: Files = diskFiles) {
    const parsed = parsePersistentConfig(config)
    const { clock, logger, onError } = config
    const base = {
      ...(clock === undefined ? {} : { clock }),
      ...(logger === undefined ? {} : { logger }),
      ...(onError === undefined ? {} : { onError }),
    }
    const memory = memoryOf(parsed, config, files)
    super(base, { memory, defaults: parsed.defaults })
  }

  /** What the task missed since it last ran is caught up now, oldest first, one run at a time. */
  override async schedule(config: PersistentScheduleJobConfig): Promise<ScheduledJob> {
    return await super.schedule(config)
  }

  /** undefined where neither this process nor the saved state knows the job. */
  getJobState(name: string): PersistentJobState | undefined {
    return this.book.state(name)
  }

  /** Also of jobs that the saved state has and that nobody has scheduled again. */
  getAllJobStates(): Map<string, PersistentJobState> {
    const states = this.book.names({ mine: false }).map((name) => [name, this.book.state(name)] as const)
    return new Map(states.filter((entry): entry is [string, PersistentJobState] => entry[1] !== undefined))
  }

  /** Holds over restarts, until the job's own definition in the code changes. */
  setCatchUp(name: string, enabled: boolean): Promise<void> {
    this.book.change({ name, catchUp: enabled })
    return this.act(name, async (evertick) => {
      const catchUp = { policy: enabled ? ('all' as const) : ('none' as const) }
      await evertick.jobs.update(name, { catchUp }, { actor: 'code' })
    })
  }

  /** Resolves when everything so far is kept. Nobody needs to call it: every change is kept by itself. */
  async save(): Promise<void> {
    await this.saved()
  }
}

function memoryOf(parsed: PersistentConfig, { logger }: PersistentSchedulerConfig, files: Files): Memory {
  const { stateFile, saveIntervalMs } = parsed
  const told = logger ?? schedulerLogger
  return /^(?:sqlite|postgres|postgresql|mysql|mariadb):/.test(stateFile)
    ? new DatabaseMemory(stateFile, saveIntervalMs, told)
    : new FileMemory({ stateFile, saveIntervalMs, files, logger: told })
}
