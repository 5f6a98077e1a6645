/** Every step of every verb as a test: how many there are is asked of the database before the first. */
import { afterAll, describe, expect, test } from 'vitest'
import type { ExploredServer } from '../explorer/server.ts'
import { endChildren } from '../process/child.ts'
import type { ServerUnderTest } from '../store/races/race.ts'
import { verbNames } from './kill-verbs.ts'
import { KilledVerbs, type KillStep } from './killed-verbs.ts'
import type { Moment } from './verb-node.ts'

export interface KilledServer {
  readonly file: ServerUnderTest & { readonly nodeUrl: string; close(): Promise<void> }
  /** Sees the tables that there are by then. */
  readonly look: () => Promise<ExploredServer>
  /** As a handler names the table of its effects. */
  readonly effects: string
  /** Lets a node write there. */
  readonly grants: readonly string[]
}

/** `moments`: all of them where it is `all`, else only those that differ for the server. */
export async function describeKills(
  name: string,
  moments: string | undefined,
  open: (() => Promise<KilledServer>) | null,
): Promise<void> {
  const title = `kill -9 at every step: ${name}`
  if (open === null) {
    describe.skip(title, () => test('there is no server', () => expect.unreachable()))
    return
  }
  const { file, look, effects, grants } = await open()
  const bench = await file.open()
  await bench.sql('CREATE TABLE @effects (execution_id VARCHAR(64) NOT NULL)')
  for (const text of grants) await bench.sql(text)
  const server = await look()
  const killed = new KilledVerbs(server, bench.store, file.nodeUrl, effects)
  await killed.open()

  describe(title, async () => {
    afterAll(async () => {
      await endChildren()
      await server.close()
      await bench.close()
      await file.close()
    })

    for (const verb of verbNames) {
      const steps = await killed.steps(verb)
      test(`all or nothing, by one commit: ${verb} on ${name}`, () => {
        expect(steps.filter(({ commits }) => commits)).toHaveLength(1)
      })
      test(`steps of ${verb} on ${name}: ${steps.length}`, async () => {
        expect(await killed.runWhole(verb)).toEqual({ steps: steps.length, unlike: [] })
      })
      const cases = steps.flatMap((step) =>
        momentsOf(step, moments === 'all').map((moment) => ({ moment, nth: step.nth })),
      )
      test.each(cases)(`kill -9 $moment step $nth of ${verb} on ${name}`, async ({ moment, nth }) => {
        expect(await killed.kill(verb, moment, nth)).toEqual({ signal: 'SIGKILL', unlike: [] })
        expect(await killed.goOn()).toEqual([])
      })
    }
  })
}

/** Dead after a step is dead before the next one, as far as the server can tell; only what commits divides the two. */
function momentsOf({ commits }: KillStep, all: boolean): readonly Moment[] {
  return commits || all ? ['before', 'during', 'after'] : ['before']
}
