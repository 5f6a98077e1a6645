/** The document of the enhanced scheduler, section by section: a real PostgreSQL, a real Redis, real processes; a clock under control where time passes. */
import { afterEach, vi } from 'vitest'
import { endChildren } from '../../process/child.ts'
import { describeDocument, holds } from './describe-document.ts'
import { walkBenefits, walkLoad, walkMigrationPath } from './enhanced/fleet.ts'
import { walkHistory } from './enhanced/history.ts'
import { walkEnvironment, walkIntegration, walkMigrations, walkStarting } from './enhanced/integration.ts'
import { walkLocking } from './enhanced/locking.ts'
import { walkMigrationSteps } from './enhanced/migration-path.ts'
import { walkNextSteps } from './enhanced/next-steps.ts'
import { walkPersistence, walkWatching } from './enhanced/persistence.ts'
import { walkGuide } from './guides.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })
afterEach(endChildren)

describeDocument('004', {
  'Task 7: Enhanced Scheduler Service - Implementation Summary': holds,
  Overview: { tells: 'Announces what the sections below describe one by one.' },
  'Completed Subtasks': holds,
  '7.1 Distributed Locking with Redis ✅': walkLocking,
  '7.2 Schedule Persistence to Database ✅': walkPersistence,
  '7.3 Dynamic Schedule Updates ✅': walkWatching,
  '7.4 Job History and Audit Trail ✅': walkHistory,
  'Enhanced Scheduler Integration': walkIntegration,
  'Files Created': {
    tells: 'Names Python files; their classes are tested in the sections that describe them.',
  },
  'Files Modified': { tells: 'Names a Python file.' },
  Configuration: holds,
  'Environment Variables': walkEnvironment,
  Usage: holds,
  'Running Migrations': walkMigrations,
  'Starting Enhanced Scheduler': walkStarting,
  'Key Benefits': walkBenefits,
  'Requirements Met': {
    restates: {
      'Requirement 1.1': '7.2 Schedule Persistence to Database ✅',
      'Requirement 6.3': '7.1 Distributed Locking with Redis ✅',
      'Requirement 7.1': '7.2 Schedule Persistence to Database ✅',
      'Requirement 7.4': '7.4 Job History and Audit Trail ✅',
      'Requirement 8.3': '7.3 Dynamic Schedule Updates ✅',
      'Requirement 9.3': '7.4 Job History and Audit Trail ✅',
      'Requirement 10.2': 'Enhanced Scheduler Integration',
    },
  },
  'Testing Recommendations': walkLoad,
  'Migration Path': () => {
    walkMigrationPath()
    walkMigrationSteps()
  },
  'Next Steps': walkNextSteps,
  Documentation: () => walkGuide('enhanced-scheduler.md'),
  Conclusion: { tells: 'Sums up.' },
})
