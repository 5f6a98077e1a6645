/** Document 002, lease-based workers, from top to bottom. */
import { afterEach } from 'vitest'
import { endChildren } from '../../process/child.ts'
import { describeDocument, holds } from './describe-document.ts'
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
  'Implementation Summary: Lease-Based Workers': holds,
  'What Was Implemented': holds,
  'How It Works': holds,
  Testing: holds,
  'Code Quality': holds,
  Configuration: holds,
  'Deployment Instructions': holds,
  Monitoring: holds,
  Troubleshooting: holds,
  'Files Changed': { tells: 'A list of the files of the system that the page is about.' },
  Conclusion: { tells: 'Says again what stands above.' },
})
