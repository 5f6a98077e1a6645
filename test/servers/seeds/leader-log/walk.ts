/** What the sections of the walk share. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  createLeaderLogModel,
  type LeaderLogModel,
  SchedulerLeaderLogService,
} from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { type Engine, engines } from './engines.ts'
import { at, Tasks } from './tasks.ts'

export const document = readFileSync(join(import.meta.dirname, '..', 'documents', '000.md'), 'utf8')
export const byName = engines.map((engine) => [engine.name, engine] as const)

/** The document's own code block of that language, the first one. */
export function block(language: string): string {
  return document.match(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``))?.[1] ?? ''
}

function modelOf(url: string): LeaderLogModel {
  const model = createLeaderLogModel(url)
  onTestFinished(() => model.close())
  return model
}

export async function logOn(engine: Engine, time: string) {
  const clock = new ManualClock(at(time))
  const url = await engine.create()
  const model = modelOf(url)
  return { url, clock, model, log: new SchedulerLeaderLogService(model, { clock }) }
}

export function expectedTimes(from: string, to: string): string[] {
  return new Tasks('00:00:00')
    .due(at(from), at(to))
    .map(({ scheduleTime }) => scheduleTime.toISOString().slice(11, 19))
}
