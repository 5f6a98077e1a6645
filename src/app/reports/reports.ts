/** `evertick.reports`: data for overviews and charts. All reports only read. */

import type { AppContext } from '../app-context.ts'
import type { Leader } from '../cluster/cluster.ts'
import { findJob } from '../job/job-views.ts'
import { type ActivityReport, activityOf } from './activity.ts'
import { type AwayReport, awayOf } from './away.ts'
import { type Forecast, forecastOf } from './forecast.ts'
import { type Heatmap, type HeatmapOptions, heatmapOf } from './heatmap.ts'
import { type Overview, overviewOf } from './overview.ts'
import type { BucketOptions } from './span.ts'
import { type Timeline, type TimelineOptions, timelineOf } from './timeline.ts'

export class Reports {
  readonly #app: AppContext
  readonly #leader: Leader

  constructor(app: AppContext, leader: Leader) {
    this.#app = app
    this.#leader = leader
  }

  /** Overall health, current problems, and what happened while there was no leader. */
  async overview(): Promise<Overview> {
    return await overviewOf(this.#app, this.#leader)
  }

  /** How executions ended over a span of up to 400 days, in slots of equal length. */
  async activity(options: BucketOptions): Promise<ActivityReport> {
    return await activityOf(this.#app, options)
  }

  /** Upcoming ticks of all active jobs, over up to 31 days. */
  async forecast(options: BucketOptions): Promise<Forecast> {
    return await forecastOf(this.#app, options)
  }

  /** The runs that overlap a span of up to 31 days, newest first. */
  async timeline(options: TimelineOptions): Promise<Timeline> {
    return await timelineOf(this.#app, options)
  }

  /** A job's ticks by day and hour, over up to 400 days. */
  async heatmap(job: string, options: HeatmapOptions): Promise<Heatmap> {
    return await heatmapOf(this.#app, await findJob(this.#app, job), options)
  }

  /** The ticks that a term found missed when it began; null if there was no gap before it. */
  async away(termId: number): Promise<AwayReport | null> {
    return await awayOf(this.#app, this.#leader, { termId })
  }
}
