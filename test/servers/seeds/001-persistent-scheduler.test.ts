/** The document of the persistent scheduler, section by section: real files, real processes, real servers, and a clock under control where days pass. */
import { afterEach } from 'vitest'
import { endChildren } from '../../process/child.ts'
import { describeDocument, holds } from './describe-document.ts'
import {
  configurationExamples,
  debugging,
  exampleScenario,
  howItWorks,
  reasonableLimits,
} from './persistent-scheduler/catch-up.ts'
import {
  customStateFile,
  jobConfig,
  schedulerConfig,
  timezones,
} from './persistent-scheduler/configuration.ts'
import { errorHandling } from './persistent-scheduler/errors.ts'
import {
  integration,
  listingJobs,
  monitoring,
  properShutdown,
  standardOperations,
} from './persistent-scheduler/jobs.ts'
import { limitations } from './persistent-scheduler/limitations.ts'
import { basicUsage, keyFeatures, scheduler } from './persistent-scheduler/overview.ts'
import { stateFileFormat, stateFileLocation, stateOperations } from './persistent-scheduler/state.ts'

afterEach(endChildren)

describeDocument('001', {
  PersistentScheduler: scheduler,
  'Key Features': keyFeatures,
  'Use Cases': { tells: 'Names three occasions for what the other sections describe.' },
  'Basic Usage': basicUsage,
  'Configuration Options': holds,
  PersistentSchedulerConfig: schedulerConfig,
  PersistentScheduleJobConfig: jobConfig,
  'Catch-up Behavior': holds,
  'How It Works': howItWorks,
  'Example Scenario': exampleScenario,
  'Configuration Examples': configurationExamples,
  'State Management': holds,
  'State File Format': stateFileFormat,
  'State Operations': stateOperations,
  'Job Management': holds,
  'Standard Operations': standardOperations,
  'Listing Jobs': listingJobs,
  'Error Handling': errorHandling,
  'Best Practices': holds,
  '1. Proper Shutdown': properShutdown,
  '2. State File Location': stateFileLocation,
  '3. Reasonable Catch-up Limits': reasonableLimits,
  '4. Monitoring': monitoring,
  'Integration with Existing Code': integration,
  Debugging: debugging,
  Limitations: limitations,
  'Advanced Configuration': holds,
  'Custom State File Format': customStateFile,
  'Timezone-Aware Scheduling': timezones,
})
