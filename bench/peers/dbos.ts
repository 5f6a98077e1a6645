/**
 * DBOS on PostgreSQL: workflows that are called in this process, which is its shortest way (its queues look for work once
 * a second), each step by `DBOS.runStep`. With its defaults: a pool of 50 connections instead of its ten did not help 50
 * callers here. It commits each step by itself; ours writes the memos that come together in one transaction.
 */
import { library } from './library.ts'

interface DbosLibrary {
  readonly DBOS: {
    setConfig(config: Config): void
    registerWorkflow(
      work: (n: number) => Promise<void>,
      options: { name: string },
    ): (n: number) => Promise<void>
    runStep(step: () => Promise<unknown>, options: { name: string }): Promise<unknown>
    launch(): Promise<void>
    shutdown(): Promise<void>
  }
}
interface Config {
  readonly name: string
  readonly systemDatabaseUrl: string
  readonly logLevel: string
}

export interface OpenWorkflows {
  /** One workflow, to its end. */
  run(n: number): Promise<void>
  close(): Promise<void>
}

let workflow: ((n: number) => Promise<void>) | null = null

export async function openDbos(url: string, steps: number): Promise<OpenWorkflows> {
  const { DBOS } = await library<DbosLibrary>('@dbos-inc/dbos-sdk')
  // Once for the process, whatever database comes next.
  workflow ??= DBOS.registerWorkflow(
    async (n) => {
      for (let step = 0; step < steps; step += 1) await DBOS.runStep(async () => n, { name: `s${step}` })
    },
    { name: 'bench' },
  )
  const run = workflow
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    logLevel: 'error',
  })
  await DBOS.launch()
  // It takes the object that it is called on for an instance of its own.
  return { run: (n) => run(n), close: () => DBOS.shutdown() }
}
