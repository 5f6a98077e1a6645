/**
 * A process that lives, dies and comes back, on a clock under control: schedulers on one state file, whose disk can be
 * cut off in the middle of anything.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Surroundings } from '../../../src/app/cluster/live-node.ts'
import { diskFiles, type Files } from '../../../src/compat/persistent-scheduler/disk-files.ts'
import { parseDuration } from '../../../src/core/schedule/duration.ts'
import type { Duration } from '../../../src/core/schedule/schedule.ts'
import { Evertick } from '../../../src/evertick.ts'
import {
  type EvertickOptions,
  PersistentScheduler,
  type PersistentSchedulerConfig,
} from '../../../src/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { wrapVerbs } from '../../../src/store/wrap-store.ts'
import { ManualClock } from '../../../src/testing/index.ts'

export interface Life {
  readonly scheduler: PersistentScheduler
  /** What it has logged, as `level: message`. */
  readonly said: string[]
  dead: boolean
}

const open = Evertick.openWith.bind(Evertick)

export class Stage {
  readonly clock: ManualClock
  readonly folder: string
  readonly stateFile: string
  readonly #nodes: Evertick[] = []
  #calls = 0

  constructor(start = '2026-01-01T00:00:00Z') {
    this.clock = new ManualClock(start)
    this.folder = mkdtempSync(join(tmpdir(), 'evertick-state-'))
    this.stateFile = join(this.folder, 'state.json')
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }))
    vi.spyOn(Evertick, 'openWith').mockImplementation(
      async (options: EvertickOptions, given: Partial<Surroundings>) => {
        const wrap = (store: Store) =>
          wrapVerbs(given.wrap?.(store) ?? store, ({ run }) => this.#counted(run))
        const node = await open(options, { ...given, wrap })
        this.#nodes.push(node)
        return node
      },
    )
  }

  /** A new life on the state file. It ends with the test, if not before. */
  begin(config: PersistentSchedulerConfig = {}, files: Files = diskFiles): Life {
    const said: string[] = []
    const log = (level: string) => (message: string, details?: { error?: unknown }) => {
      const error = details?.error instanceof Error ? `: ${details.error.message}` : ''
      said.push(`${level}: ${message}${error}`)
    }
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
    const clock = this.clock
    const options = { stateFile: this.stateFile, saveInterval: 86_400_000, clock, logger, ...config }
    const life: Life = {
      scheduler: new PersistentScheduler(
        options,
        this.#watched(files, () => life.dead),
      ),
      said,
      dead: false,
    }
    onTestFinished(() => this.end(life))
    return life
  }

  /** For a scheduler that is not begun here, but waited for. */
  get files(): Files {
    return this.#watched(diskFiles)
  }

  /** A graceful end. */
  async end({ scheduler }: Life): Promise<void> {
    await this.driven(scheduler.shutdown())
  }

  /** The process dies: nothing of it reaches the disk any more. */
  async crash(life: Life): Promise<void> {
    life.dead = true
    await this.driven(life.scheduler.shutdown({ timeout: 0 }).catch(() => {}))
  }

  /** Time passes, and what falls due runs. */
  async advance(duration: Duration): Promise<void> {
    const until = this.clock.now() + parseDuration(duration, 'duration')
    await this.settle()
    for (let at = this.clock.nextTimerAt(); at !== null && at <= until; at = this.clock.nextTimerAt()) {
      this.clock.moveTo(at)
      await this.settle()
    }
    this.clock.moveTo(until)
    await this.settle()
  }

  /** Time passes while no process runs. */
  async away(duration: Duration): Promise<void> {
    this.clock.moveTo(this.clock.now() + parseDuration(duration, 'duration'))
  }

  async settle(): Promise<void> {
    const running = () => this.#nodes.reduce((sum, node) => sum + node.running, 0)
    for (let quiet = 0; quiet < 3; ) {
      await turn()
      quiet = this.#calls === 0 && running() <= this.clock.sleeping ? quiet + 1 : 0
    }
  }

  /** Lets time pass until what was asked for has ended. */
  async driven(ending: Promise<void>): Promise<void> {
    const done = new AbortController()
    const ended = ending.finally(() => done.abort())
    for (let quiet = 0; !done.signal.aborted; ) {
      await turn()
      this.clock.moveTo(this.clock.now())
      quiet = this.#calls === 0 ? quiet + 1 : 0
      const at = this.clock.nextTimerAt()
      if (done.signal.aborted || at === null || quiet < 20) continue
      this.clock.moveTo(at)
      quiet = 0
    }
    await ended
  }

  /** A dead process's calls are refused. */
  #watched(files: Files, dead: () => boolean = () => false): Files {
    return new Proxy(files, {
      get:
        (from, name) =>
        async (...args: unknown[]) => {
          if (dead()) throw new Error('the process is dead')
          const call = Reflect.get(from, name) as (...given: unknown[]) => Promise<unknown>
          return await this.#counted(() => call.apply(from, args))
        },
    })
  }

  /** As a call that has not been answered. */
  async #counted<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1
    try {
      return await call()
    } finally {
      this.#calls -= 1
    }
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
