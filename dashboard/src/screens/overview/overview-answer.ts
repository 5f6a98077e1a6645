import type { Answer } from '../../../../src/client/index.ts'

export type OverviewAnswer = Answer<'GET /overview'>
export type AwayStory = NonNullable<OverviewAnswer['away']>
export type JobProblem = OverviewAnswer['problems'][number]
export type ActivityAnswer = Answer<'GET /activity'>
