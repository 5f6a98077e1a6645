/** Document 002, lease-based workers, from top to bottom. */
import { afterEach } from 'vitest'
import { endChildren } from '../../process/child.ts'
import { describeDocument } from './describe-document.ts'
import { useSharedDatabase } from './processing/bench.ts'
import { deploymentSections } from './processing/deployment.ts'
import { implementedSections } from './processing/implemented.ts'
import { leaseFlowSections } from './processing/lease-flow.ts'
import { monitoringSections } from './processing/monitoring.ts'
import { trialSections } from './processing/trials.ts'
import { workerSections } from './processing/worker.ts'

useSharedDatabase()
afterEach(endChildren)

describeDocument('002', {
  ...implementedSections,
  ...workerSections,
  ...leaseFlowSections,
  ...trialSections,
  ...deploymentSections,
  ...monitoringSections,
  'Implementation Summary: Lease-Based Workers': 'The title.',
  'What Was Implemented': 'The six that follow.',
  'How It Works': 'The three that follow.',
  Testing: 'The three that follow.',
  'Code Quality': 'The two that follow.',
  Configuration: 'The two that follow.',
  'Deployment Instructions': 'The three that follow.',
  Monitoring: 'The two that follow.',
  Troubleshooting: 'The three that follow.',
  'Files Changed': 'A list of the files of the system that the page is about.',
  Conclusion: 'Says again what stands above.',
})
