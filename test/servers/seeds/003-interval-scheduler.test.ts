/** "Scheduler Refactor Summary": an interval scheduler on PostgreSQL, as its document describes it. */
import { describe, expect, inject, test } from 'vitest'
import { jobStatuses } from '../../../src/core/job/job-status.ts'
import { canCancel, canPause, canResume, canRetry } from '../../../src/index.ts'
import { describeDocument, holds } from './describe-document.ts'
import * as core from './interval-scheduler/core.ts'
import * as deployment from './interval-scheduler/deployment.ts'
import * as documents from './interval-scheduler/documents.ts'
import { open } from './interval-scheduler/open.ts'
import * as repositories from './interval-scheduler/repositories.ts'
import * as schema from './interval-scheduler/schema.ts'
import * as workflows from './interval-scheduler/workflows.ts'

const people = { tells: 'It is about people and their files, not about what a program does.' }

describe.skipIf(inject('postgresUrl') === null)('on PostgreSQL', () => {
  describeDocument('003', {
    'Scheduler Refactor Summary': holds,
    'Executive Summary': {
      restates: {
        'User-friendly scheduling': '1. Interval-Based Scheduling',
        'Complete job control': 'Phase 4: API Layer ✅',
        'Execution tracking': '2. Separate job_executions Table',
        'Enterprise observability': '6. Thread-Safe Metrics',
        'Distributed locking': '3. Distributed Locking with PostgreSQL',
        'Automatic retry': '4. Exponential Backoff for Retries',
      },
    },
    'What Was Built': holds,
    'Phase 1: Database Schema ✅': schema.phase1,
    'Phase 2: Repository Layer ✅': () => {
      repositories.phase2()
      repositories.crud()
    },
    // Locks and back-off are walked under the decisions 3 and 4.
    'Phase 3: Scheduler Core ✅': () => {
      core.phase3()
      core.gracefulShutdown()
    },
    'Phase 4: API Layer ✅': repositories.phase4,
    'Phase 5: Main Integration ✅': () => {
      test('a job that is created while the scheduler runs needs no reload', async () => {
        const { node, another } = await open()
        const { scheduler: elsewhere } = await another()
        await elsewhere.createJob({ name: 'crawl', interval_minutes: 10 })
        await node.advance('11m')
        expect(await node.executions('crawl')).toMatchObject([{ state: 'completed' }])
      })
    },
    'Phase 6: Testing ✅': {
      restates: {
        '`internal/scheduler/state_machine_test.go`': '7. State Machine Validation',
        '`internal/scheduler/metrics_test.go`': '6. Thread-Safe Metrics',
        '`scripts/test-migration.sh`': 'Prerequisites',
        '39 state transition tests': '7. State Machine Validation',
        '8 helper function tests': 'Unit Tests ✅',
        '8 metrics tests': '6. Thread-Safe Metrics',
        'Migration test script validates': 'Step 1: Database Migration',
      },
    },
    'Phase 7: Documentation ✅': documents.phase7,
    'File Statistics': holds,
    'Files Created: 15': people,
    'Files Modified: 10': people,
    'Total Lines of Code: ~3,500 lines': people,
    'Key Technical Decisions': holds,
    '1. Interval-Based Scheduling': core.intervals,
    '2. Separate job_executions Table': core.history,
    '3. Distributed Locking with PostgreSQL': core.locking,
    '4. Exponential Backoff for Retries': core.backoff,
    '5. Functional Options Pattern': core.options,
    '6. Thread-Safe Metrics': core.metrics,
    '7. State Machine Validation': core.stateMachine,
    'Backward Compatibility': holds,
    'Migration Strategy': workflows.migrationStrategy,
    'Rollback Plan': deployment.rollbackPlan,
    'Testing Checklist': holds,
    'Unit Tests ✅': () => {
      test('the helpers answer for each of the seven statuses', () => {
        const answers = jobStatuses.map((status) =>
          [canPause(status), canResume(status), canCancel(status), canRetry(status)].map(Number).join(''),
        )
        expect(Object.fromEntries(jobStatuses.map((status, index) => [status, answers[index]]))).toEqual({
          pending: '0010',
          scheduled: '1010',
          running: '0010',
          paused: '0110',
          completed: '0000',
          failed: '0001',
          cancelled: '0000',
        })
      })
    },
    'Integration Tests ⏳ (Next Step)': {
      restates: {
        'Database migration up/down': 'Prerequisites',
        'Job repository CRUD': 'Phase 2: Repository Layer ✅',
        'Execution repository CRUD': 'Phase 2: Repository Layer ✅',
        'Distributed lock contention': '3. Distributed Locking with PostgreSQL',
        'Stale lock cleanup': '3. Distributed Locking with PostgreSQL',
        'Retry with exponential backoff': '4. Exponential Backoff for Retries',
        'Recurring job rescheduling': '1. Interval-Based Scheduling',
      },
    },
    'API Tests ⏳ (Next Step)': workflows.apiTests,
    'End-to-End Tests ⏳ (Next Step)': workflows.endToEnd,
    'Deployment Plan': holds,
    Prerequisites: deployment.prerequisites,
    'Deployment Steps': holds,
    'Step 1: Database Migration': () => {
      schema.step1()
      schema.existingCronJobs()
    },
    'Step 2: Deploy New Code': deployment.deployNewCode,
    'Step 3: Verify Operation': () => {
      deployment.verifyOperation()

      test('the same by the library: metrics, the jobs that run, and the history of one', async () => {
        const { node, scheduler } = await open({
          metricsInterval: '30s',
          execute: (_job, { signal }) => node.clock.sleep(30_000, signal),
        })
        for (const name of ['one', 'two']) await scheduler.createJob({ name, interval_minutes: 10 })
        await scheduler.pauseJob('two')
        await node.advance('10m')
        const { jobs } = await scheduler.jobs.list()
        expect(jobs.filter(({ status }) => status === 'running').map(({ name }) => name)).toEqual(['one'])
        await node.advance('61s')
        expect(await scheduler.getMetrics()).toMatchObject({
          jobs: { total: 2 },
          executions: { completed: 1 },
        })
        expect((await scheduler.executions.list({ job: 'one' })).executions).toHaveLength(1)
      })
    },
    'Step 4: Monitor (First 24 Hours)': () => {
      test('what is watched is in the metrics: success rates and stale locks', async () => {
        const { node, scheduler } = await open({
          metricsInterval: '30m',
          execute: ({ name }) => {
            if (name === 'bad') throw new Error('the source is down')
          },
        })
        for (const name of ['bad', 'good'])
          await scheduler.createJob({ name, interval_minutes: 60, max_retries: 0 })
        await node.advance('91m')
        expect(await scheduler.getMetrics()).toMatchObject({ successRate: 0.5, staleLeases: 0 })
        expect(await scheduler.executions.getJobStats('bad')).toMatchObject({ successRate: 0 })
      })
    },
    'Rollback Procedure (If Needed)': schema.rollback,
    'Next Steps': holds,
    'Immediate (Pre-Deployment)': {
      restates: {
        'Integration Testing': 'Phase 2: Repository Layer ✅',
        'API Testing': 'API Tests ⏳ (Next Step)',
        'Load Testing': 'Performance Targets ⏳ (To Be Validated)',
        'Security Review': 'API',
        'Frontend Update': 'Frontend',
      },
    },
    'Short-Term (Post-Deployment)': core.retention,
    'Long-Term (Future Enhancements)': workflows.enhancements,
    'Success Criteria': holds,
    'Functional Requirements ✅': {
      restates: {
        'Interval-based scheduling': '1. Interval-Based Scheduling',
        'Job control': 'Phase 4: API Layer ✅',
        'Execution history tracking': '2. Separate job_executions Table',
        'State machine validation': '7. State Machine Validation',
        'Distributed locking': '3. Distributed Locking with PostgreSQL',
        'Exponential backoff retry': '4. Exponential Backoff for Retries',
        'Real-time metrics': '6. Thread-Safe Metrics',
      },
    },
    'Non-Functional Requirements ✅': {
      restates: {
        'Thread-safe concurrent operations': '6. Thread-Safe Metrics',
        'Graceful shutdown': 'Phase 3: Scheduler Core ✅',
        'Database migration with rollback': 'Rollback Procedure (If Needed)',
        'Backward compatibility': 'Migration Strategy',
        'Comprehensive documentation': 'Phase 7: Documentation ✅',
        'Unit test coverage': 'Unit Tests ✅',
      },
    },
    // Five instances are a test under End-to-End.
    'Performance Targets ⏳ (To Be Validated)': deployment.performanceTargets,
    'Known Limitations': () => {
      test('a cron that is no interval goes on as a cron, and is reported', async () => {
        const { node, scheduler } = await open()
        await scheduler.createJob({ name: 'office', schedule_time: '0 9,17 * * 1-5' })
        const { manual } = await node.evertick.jobs.convert()
        expect(manual).toMatchObject([{ job: 'office', cron: '0 9,17 * * 1-5' }])
        // 1 January 2026 is a Thursday.
        await node.advance('18h')
        expect(await node.executions('office')).toHaveLength(2)
      })
    },
    'Migration Impact': holds,
    Database: { tells: 'What its figures count is walked under Phase 1 and Step 1.' },
    API: deployment.apiNeedsToken,
    Frontend: documents.frontend,
    Contributors: people,
    Documentation: holds,
    'Primary Documentation': documents.primary,
    'Supporting Documentation': documents.supporting,
    'Code Documentation': documents.inCode,
    Timeline: people,
    Conclusion: {
      restates: {
        'Simple interval-based scheduling': '1. Interval-Based Scheduling',
        'Complete job control': 'Phase 4: API Layer ✅',
        'Full execution history': '2. Separate job_executions Table',
        'Real-time metrics': '6. Thread-Safe Metrics',
        'Distributed locking': '3. Distributed Locking with PostgreSQL',
        'Automatic retry': '4. Exponential Backoff for Retries',
        'Comprehensive documentation and testing': 'Phase 7: Documentation ✅',
      },
    },
  })
})
