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
import { Child, endChildren } from '../process/child.ts'
import { expectQuiet } from '../process/scene.ts'
import { answered, fiveSteps, isTransactional, type Line, moments, steps } from '../process/step-jobs.ts'
import { until } from '../process/until.ts'

export interface StepSite {
  readonly nodeUrl: string
  /** The owner's, behind the back of the nodes, in portable SQL. */
  readonly sql: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

const lines = steps.flatMap((step) => moments.map((moment) => ({ step, moment })))
/** Within a transaction only one stands at a time, or those of SQLite would wait for each other. */
const isWithin = ({ step, moment }: Line) =>
  isTransactional(step) && (moment === 'inside' || moment === 'effect')
const deaths: readonly (readonly Line[])[] = [
  lines.filter((line) => !isWithin(line)),
  ...lines.filter(isWithin).map((line) => [line]),
]

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
        expect.hasAssertions()
        for (let round = 0; round < rounds; round += 1) await killEverywhere(`round-${round}`)
      },
      60_000 + rounds * 60_000,
    )

    test(
      `a signal that races its timeout and a crash, ${rounds} times: one outcome`,
      async () => {
        expect.hasAssertions()
        for (let round = 0; round < rounds; round += 1) await raceOutcomes(`answers-${round}`)
      },
      60_000 + rounds * 60_000,
    )

    async function killEverywhere(round: string): Promise<void> {
      const enqueued: { readonly id: string; readonly line: Line }[] = []
      const file = witnessFile(round)
      const dying: Child[] = []
      for (const [index, group] of deaths.entries()) {
        const queue = `${round}-${index}`
        for (const line of group)
          enqueued.push({ line, id: (await producer.enqueue(fiveSteps, line, { queue })).id })
        dying.push(start({ file, queues: [queue], dies: group.length }))
      }
      const next = await takeOver(dying, { file, queues: deaths.map((_, index) => `${round}-${index}`) })
      await ended(enqueued.map(({ id }) => id))
      next.send('SIGTERM')
      expect(await next.exited).toEqual({ code: 0, signal: null })

      const rows = await site.sql('SELECT execution_id, step, attempt FROM step_effects')
      const seen = [
        ...rows.map(({ execution_id, step, attempt }) => [execution_id, step, attempt].map(String).join(' ')),
        ...witnessed(file),
      ]
      const ids = new Map(enqueued.map(({ id, line }) => [id, `${line.step} ${line.moment}`]))
      // By the line that it died at: step and attempt of each effect.
      const effects = Map.groupBy(
        seen.filter((text) => ids.has(text.slice(0, 36))),
        (text) => ids.get(text.slice(0, 36)),
      )
      for (const { id, line } of enqueued) {
        const own = (effects.get(ids.get(id)) ?? []).map((text) => text.slice(37)).toSorted()
        expect({ line, effects: own }).toEqual({ line, effects: expected(line) })
        expect(await producer.executions.get(id)).toMatchObject({
          state: 'completed',
          attempt: 2,
          result: [1, 2, 3, 4, 5],
        })
      }
      expectQuiet([...dying, next])
    }

    async function raceOutcomes(queue: string): Promise<void> {
      const file = witnessFile(queue)
      const ids = await Promise.all(
        Array.from({ length: 18 }, async () => (await producer.enqueue(answered, undefined, { queue })).id),
      )
      const dying = start({ file, queues: [queue], dies: ids.length / 2 })
      await until('all to wait', async () => {
        const waits = await site.sql(`SELECT execution_id FROM @steps WHERE kind = 'wait'`)
        const waiting = new Set(waits.map(({ execution_id }) => execution_id))
        return ids.every((id) => waiting.has(id))
      })
      // Some at once, some not at all, the others at about the end of their time.
      const told = new Map<string, string>()
      const signals = ids.map(async (id, index) => {
        if (index % 3 === 0) return told.set(id, 'timeout')
        if (index % 3 === 1) await delay(400 + Math.random() * 200)
        return told.set(id, await answer(id))
      })
      const next = await takeOver([dying], { file, queues: [queue] })
      await Promise.all(signals)
      await ended(ids)
      next.send('SIGTERM')
      await next.exited

      for (const id of ids) {
        const seen = witnessed(file)
          .filter((text) => text.startsWith(id))
          .map((text) => text.slice(37))
        const { result } = await producer.executions.get(id)
        expect({ id, seen: new Set([...seen, result]) }).toEqual({ id, seen: new Set([told.get(id)]) })
      }
      expectQuiet([dying, next])
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

    /** Once all are dead their leases run out, and another goes on. */
    async function takeOver(dying: readonly Child[], config: object): Promise<Child> {
      for (const child of dying) {
        const { signal } = await child.exited
        expect({ signal, stderr: child.stderr }).toEqual({ signal: 'SIGKILL', stderr: child.stderr })
      }
      await site.sql(`UPDATE @live_executions SET leased_until = 1 WHERE state = 'running'`)
      return start({ ...config, dies: null })
    }

    function start(config: object): Child {
      return new Child('step-node.ts', { database: site.nodeUrl, ...config })
    }

    async function ended(ids: readonly string[]): Promise<void> {
      const isOpen = async (id: string) => (await producer.executions.get(id)).finishedAt === null
      for (const id of ids) {
        await until(`the end of ${id}`, async () => {
          // Many that crash together are tried again apart from each other, for seconds. Who rests has no error.
          await site.sql(
            `UPDATE @live_executions SET ready_at = 1 WHERE state = 'retrying' AND error IS NOT NULL`,
          )
          return !(await isOpen(id))
        })
      }
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
