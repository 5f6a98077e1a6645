import type { JobStore } from '../../store.ts'
import { oneMoment, type Scripts } from '../runtime/scripts.ts'
import { changeJob } from './change-job.ts'
import { changeJobs } from './change-jobs.ts'
import { createJob } from './create-job.ts'
import {
  countJobs,
  jobsChangedSince,
  jobsPerPage,
  listJobs,
  listRevisions,
  pausedBefore,
} from './find-jobs.ts'
import { countHealth, readHealth } from './job-health.ts'
import { findJob } from './lock-job.ts'
import { managedSpecs, recentRuns } from './newest-of-each.ts'
import { countMatches, countStatuses, countTags, matchingNames, pageJobs } from './page-jobs.ts'

export function jobStore({ context, hot, read, writeAndTell }: Scripts): JobStore {
  return {
    createJob: (job) => writeAndTell(() => createJob(job, context), 'jobs', 'work'),
    changeJob: (reference, change, by) =>
      writeAndTell(() => changeJob(reference, change, by, context), 'jobs', 'work'),
    changeJobs: (request) => writeAndTell(() => changeJobs(request, context, hot), 'jobs', 'work'),
    findJob: (reference) => read(() => findJob(reference)),
    listJobs: (query) => read(() => listJobs(query), query.limit > jobsPerPage ? oneMoment : {}),
    pageJobs: (query) => read(() => pageJobs(query)),
    countMatches: (filter, cap) => read(() => countMatches(filter, cap)),
    matchingNames: (filter, limit) => read(() => matchingNames(filter, limit)),
    countTags: (limit) => read(() => countTags(limit)),
    jobsChangedSince: (since) => read(() => jobsChangedSince(since)),
    listRevisions: (jobId) => read(() => listRevisions(jobId)),
    managedSpecs: (jobIds) => read(() => managedSpecs(jobIds)),
    countJobs: () => read(() => countJobs()),
    countStatuses: (now) => read(() => countStatuses(now), oneMoment),
    readHealth: (jobIds, now) => read(() => readHealth(jobIds, now)),
    countHealth: (now) => read(() => countHealth(now)),
    recentRuns: (jobIds, limit) => read(() => recentRuns(jobIds, limit)),
    pausedBefore: (at, limit) => read(() => pausedBefore(at, limit)),
  }
}
