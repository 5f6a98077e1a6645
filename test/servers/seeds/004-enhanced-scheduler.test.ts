/** The document of the enhanced scheduler, section by section: a real PostgreSQL, a real Redis, real processes; a clock under control where time passes. */
import { afterEach, vi } from 'vitest'
import { endChildren } from '../../process/child.ts'
import { describeDocument } from './describe-document.ts'
import { walkBenefits, walkLoad, walkMigrationPath } from './enhanced/fleet.ts'
import { walkHistory } from './enhanced/history.ts'
import { walkEnvironment, walkIntegration, walkMigrations, walkStarting } from './enhanced/integration.ts'
import { walkLocking } from './enhanced/locking.ts'
import { walkMigrationSteps } from './enhanced/migration-path.ts'
import { walkPersistence, walkWatching } from './enhanced/persistence.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })
afterEach(endChildren)

describeDocument('004', {
  'Task 7: Enhanced Scheduler Service - Implementation Summary': 'The title.',
  Overview: 'Announces what the sections below describe one by one.',
  'Completed Subtasks': 'Its sections follow.',
  '7.1 Distributed Locking with Redis ✅': walkLocking,
  '7.2 Schedule Persistence to Database ✅': walkPersistence,
  '7.3 Dynamic Schedule Updates ✅': walkWatching,
  '7.4 Job History and Audit Trail ✅': walkHistory,
  'Enhanced Scheduler Integration': walkIntegration,
  'Files Created': 'Names Python files; their classes are tested in the sections that describe them.',
  'Files Modified': 'Names a Python file.',
  Configuration: 'Its section follows.',
  'Environment Variables': walkEnvironment,
  Usage: 'Its sections follow.',
  'Running Migrations': walkMigrations,
  'Starting Enhanced Scheduler': walkStarting,
  'Key Benefits': walkBenefits,
  'Requirements Met': 'Numbers of another document; each line is a section above.',
  'Testing Recommendations': walkLoad,
  'Migration Path': () => {
    walkMigrationPath()
    walkMigrationSteps()
  },
  'Next Steps': 'Plans of its authors: API, dashboard and alerts are issues of their own here.',
  Documentation: 'Names its own files; ours is docs/guide/enhanced-scheduler.md, whose samples are run.',
  Conclusion: 'Sums up.',
})
