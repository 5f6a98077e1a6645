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
export function describeKills(
  name: string,
  moments: string | undefined,
  open: (() => Promise<KilledServer>) | null,
): void {
  describe.skipIf(open === null)(`kill -9 at every step: ${name}`, async () => {
    const opened = open === null ? null : await openKills(await open())
    afterAll(async () => await opened?.close())

    for (const { verb, steps, killed } of opened?.verbs ?? []) {
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

async function openKills({ file, look, effects, grants }: KilledServer) {
  const bench = await file.open()
  await bench.sql('CREATE TABLE @effects (execution_id VARCHAR(64) NOT NULL)')
  for (const text of grants) await bench.sql(text)
  const server = await look()
  const killed = new KilledVerbs(server, bench.store, file.nodeUrl, effects)
  await killed.open()
  const verbs = []
  for (const verb of verbNames) verbs.push({ verb, killed, steps: await killed.steps(verb) })
  return {
    verbs,
    async close() {
      await endChildren()
      await server.close()
      await bench.close()
      await file.close()
    },
  }
}

/** Dead after a step is dead before the next one, as far as the server can tell; only what commits divides the two. */
function momentsOf({ commits }: KillStep, all: boolean): readonly Moment[] {
  return commits || all ? ['before', 'during', 'after'] : ['before']
}
