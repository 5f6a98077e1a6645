/** `evertick/testing`: time under control, through the whole stack. */
export { ManualClock } from './manual-clock.ts'
export { type JobRun, type RunJobOptions, runJob } from './run-job.ts'
export { openTestNode, type TestNode, type TestNodeOptions } from './test-node.ts'
