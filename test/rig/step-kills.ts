/**
 * kill -9 at every line of a handler of five steps: each transactional effect exactly once, a plain one again only where
 * the crash fell between the effect and its memo, and what was done never again. And one outcome for each wait.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Evertick, EvertickError } from '../../src/index.ts'
import type { Store } from '../../src/store/store.ts'
import { Child, endChildren } from '../process/child.ts'
import { expectQuiet } from '../process/scene.ts'
import { answered, fiveSteps, isTransactional, type Line, moments, steps } from '../process/step-jobs.ts'
import { until } from '../process/until.ts'
import { hour } from '../store/builders.ts'

export interface StepSite {
  readonly nodeUrl: string
  readonly store: Store
  readonly hasOneWriter: boolean
  /** The owner's, behind the back of the nodes, in portable SQL. */
  readonly sql: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

const lines = steps.flatMap((step) => moments.map((moment) => ({ step, moment })))
const isWithin = ({ step, moment }: Line) =>
  isTransactional(step) && (moment === 'inside' || moment === 'effect')
const completed = { state: 'completed', attempt: 2, result: [...steps] }
/** Whoever stands at these dies with one process. Where there is one writer, only one can stand within a transaction. */
const deathsOf = (hasOneWriter: boolean): readonly (readonly Line[])[] =>
  hasOneWriter
    ? [lines.filter((line) => !isWithin(line)), ...lines.filter(isWithin).map((line) => [line])]
    : [lines]

export function describeStepKills(
  name: string,
  rounds: number,
  open: () => Promise<StepSite>,
  { skip = false } = {},
): void {
  describe.skipIf(skip)(`kill -9 between steps: ${name}`, () => {
    let site: StepSite
    let folder: string
    let producer: Evertick
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'evertick-steps-'))
      site = await open()
      await site.sql('CREATE TABLE step_effects (execution_id VARCHAR(64), step INT, attempt INT)')
      producer = await Evertick.open({ database: site.nodeUrl, jobs: [fiveSteps, answered] })
    })
    afterEach(async () => {
      await endChildren()
      await producer?.stop()
      await site?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    test(
      `after every line of five steps, ${rounds} times: it goes on at the right one`,
      async () => {
        const right = lines.map((line) => ({ line, effects: expected(line), ...completed }))
        for (let round = 0; round < rounds; round += 1) {
          expect(await killEverywhere(`round-${round}`)).toEqual(right)
        }
      },
      60_000 + rounds * 60_000,
    )

    test(
      `a signal that races its timeout and a crash, ${rounds} times: one outcome`,
      async () => {
        for (let round = 0; round < rounds; round += 1) {
          const outcomes = await raceOutcomes(`answers-${round}`)
          expect(outcomes.filter(({ told, seen }) => seen.size !== 1 || !seen.has(told))).toEqual([])
        }
      },
      60_000 + rounds * 60_000,
    )

    /** What became of each execution, in the order of the lines that they died at. */
    async function killEverywhere(round: string) {
      const deaths = deathsOf(site.hasOneWriter)
      const idOf = new Map<Line, string>()
      const file = witnessFile(round)
      const dying: Child[] = []
      for (const [index, group] of deaths.entries()) {
        const queue = `${round}-${index}`
        for (const line of group) idOf.set(line, (await producer.enqueue(fiveSteps, line, { queue })).id)
        dying.push(start({ file, queues: [queue], dies: group.length }))
      }
      const next = await takeOver(dying, { file, queues: deaths.map((_, index) => `${round}-${index}`) })
      await ended([...idOf.values()], next)
      expectQuiet([...dying, next])

      const written = (await site.sql('SELECT execution_id, step, attempt FROM step_effects')).map((row) =>
        [row['execution_id'], row['step'], row['attempt']].join(' '),
      )
      const seen = Map.groupBy([...written, ...witnessed(file)], (text) => text.slice(0, 36))
      return await Promise.all(
        lines.map(async (line) => {
          const id = idOf.get(line) ?? ''
          const { state, attempt, result } = await producer.executions.get(id)
          const effects = (seen.get(id) ?? []).map((text) => text.slice(37)).toSorted()
          return { line, effects, state, attempt, result }
        }),
      )
    }

    /** For each execution what its signaller was told, and every outcome that a run of it has seen. */
    async function raceOutcomes(queue: string) {
      const file = witnessFile(queue)
      const ids = await Promise.all(
        Array.from({ length: 18 }, async () => (await producer.enqueue(answered, undefined, { queue })).id),
      )
      const dying = start({ file, queues: [queue], dies: ids.length / 2 })
      const wait = `SELECT name FROM @steps WHERE execution_id = '${ids[0]}'`
      await until('the first to wait', async () => (await site.sql(wait)).length > 0)
      // Some at once, some not at all, the others at about the end of their time.
      const told = new Map<string, string>()
      const signals = ids.map(async (id, index) => {
        if (index % 3 === 0) return told.set(id, 'timeout')
        if (index % 3 === 1) await delay(400 + Math.random() * 200)
        return told.set(id, await answer(id))
      })
      const next = await takeOver([dying], { file, queues: [queue] })
      await Promise.all(signals)
      await ended(ids, next)
      expectQuiet([dying, next])

      const seen = Map.groupBy(witnessed(file), (text) => text.slice(0, 36))
      return await Promise.all(
        ids.map(async (id) => {
          const { result } = await producer.executions.get(id)
          const outcomes = (seen.get(id) ?? []).map((text) => text.slice(37))
          return { id, told: told.get(id), seen: new Set([...outcomes, result]) }
        }),
      )
    }

    async function answer(id: string): Promise<string> {
      try {
        await producer.signal(id, 'go')
        return 'signal'
      } catch (error) {
        expect(error).toBeInstanceOf(EvertickError)
        expect(error).toMatchObject({ code: 'invalid_transition' })
        return 'timeout'
      }
    }

    /** Once all are dead and their leases have run out, another goes on. */
    async function takeOver(dying: readonly Child[], config: object): Promise<Child> {
      for (const child of dying) {
        const { signal } = await child.exited
        expect({ signal, stderr: child.stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
      }
      await site.store.work.expireLeases({ now: Date.now() + hour, limit: 100, random: Math.random })
      // Those that crash together are tried again one after another. Who rests has no error, and its own time.
      await site.sql(
        `UPDATE @live_executions SET ready_at = 1 WHERE state = 'retrying' AND error IS NOT NULL`,
      )
      return start({ ...config, dies: null })
    }

    function start(config: object): Child {
      return new Child('step-node.ts', { database: site.nodeUrl, ...config })
    }

    async function ended(ids: readonly string[], last: Child): Promise<void> {
      for (const id of ids) {
        await until(`the end of ${id}`, async () => (await producer.executions.get(id)).finishedAt !== null)
      }
      last.send('SIGTERM')
      expect(await last.exited).toEqual({ code: 0, signal: null })
    }

    function witnessFile(round: string): string {
      const file = join(folder, round)
      appendFileSync(file, '')
      return file
    }
  })
}

function witnessed(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

/** Step and attempt of each effect of an execution that has died once, at this line. */
function expected({ step: died, moment }: Line): string[] {
  return steps
    .flatMap((step) => {
      if (step !== died) return [`${step} ${step < died ? 1 : 2}`]
      if (moment === 'memo') return [`${step} 1`]
      // The effect was there, and nobody could know: only a transaction takes it back.
      return moment === 'effect' && !isTransactional(step) ? [`${step} 1`, `${step} 2`] : [`${step} 2`]
    })
    .toSorted()
}
