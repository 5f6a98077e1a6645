/** All rules together: fed with every commit, every answer of the store and every handler that begins. */
import type { Plan } from '../plan/plan.ts'
import { CallRules } from './call-rules.ts'
import type { Change } from './change-log.ts'
import { ExecutionRules } from './execution-rules.ts'
import { JobRules } from './job-rules.ts'
import { LaneRules } from './lane-rules.ts'
import { LeaderRules } from './leader-rules.ts'
import { Model } from './model.ts'
import { NoticeRules } from './notice-rules.ts'
import type { Scene } from './scene.ts'
import { StepRules } from './step-rules.ts'
import { TickRules } from './tick-rules.ts'

export class Checker {
  readonly model = new Model()
  readonly ticks: TickRules
  readonly executions: ExecutionRules
  readonly steps: StepRules
  readonly lanes: LaneRules
  readonly jobs: JobRules
  readonly leader: LeaderRules
  readonly calls: CallRules
  readonly notices: NoticeRules

  constructor(scene: Scene, listens = false) {
    this.ticks = new TickRules(this.model)
    this.executions = new ExecutionRules(this.model, scene)
    this.steps = new StepRules(this.model, scene)
    this.lanes = new LaneRules(this.model, scene)
    this.jobs = new JobRules(this.model)
    this.leader = new LeaderRules(this.model, scene)
    this.calls = new CallRules(this.model)
    this.notices = new NoticeRules(this.model, listens)
  }

  /** One commit, or the few of one turn. */
  committed(changes: readonly Change[]): void {
    if (changes.length === 0) return
    this.calls.begin()
    for (const change of changes) {
      this.ticks.see(change)
      this.executions.see(change)
      this.steps.see(change)
      this.lanes.see(change)
      this.jobs.see(change)
      this.leader.see(change)
      this.calls.see(change)
      this.notices.see(change)
      this.model.apply(change)
    }
    this.ticks.end()
    this.executions.end()
    this.steps.end()
    this.lanes.end()
    this.jobs.end()
    this.notices.end()
  }

  finish(plan: Plan): void {
    const transactional = new Map(plan.jobs.map(({ name, work }) => [name, work.transactional]))
    this.notices.finish()
    this.executions.finish((name) => transactional.get(name) ?? false)
  }
}
