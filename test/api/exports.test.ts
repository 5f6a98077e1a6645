/** The public API is a list: a name that comes or goes is a decision, and this test is where it is written down. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { version } from '../../src/app/version.ts'
import * as evertick from '../../src/index.ts'
import * as testing from '../../src/testing/index.ts'

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The names that a module of explicit exports gives as types only. */
function typesOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const lists = [...source.matchAll(/^export (type )?\{([^}]*)\}/gm)]
  return lists
    .flatMap(([, all, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && (all !== undefined || name.startsWith('type ')))
        .map((name) => name.replace(/^type /, '')),
    )
    .toSorted()
}

test('evertick exports these values', () => {
  expect(Object.keys(evertick).toSorted()).toEqual([
    'DistributedLock',
    'Evertick',
    'EvertickError',
    'cronToInterval',
    'defineConfig',
    'defineJob',
    'describeSchedule',
    'nextTicks',
    'outcome',
    'previousTicks',
  ])
})

test('evertick exports these types', () => {
  expect(typesOf('src/index.ts')).toEqual([
    'Account',
    'AcquireOptions',
    'ActorOptions',
    'AnyJob',
    'AttemptView',
    'AuditResult',
    'BackfillView',
    'BulkResult',
    'CatchUpOptions',
    'CatchUpPolicy',
    'Cause',
    'Clock',
    'ConvertedJob',
    'CreateJob',
    'CronToInterval',
    'DefinedJob',
    'DescribeOptions',
    'DistributedLockOptions',
    'Duration',
    'EnqueueItem',
    'EnqueueOptions',
    'EnqueueResult',
    'ErrorCode',
    'ErrorDetails',
    'ErrorKind',
    'EventMap',
    'EventName',
    'EvertickOptions',
    'ExecutionError',
    'ExecutionState',
    'ExecutionView',
    'ExplainedTickView',
    'ExplanationView',
    'HeldLock',
    'Instant',
    'JobAction',
    'JobContext',
    'JobDefinition',
    'JobOptions',
    'JobReference',
    'JobState',
    'JobStatus',
    'JobView',
    'Listener',
    'Lock',
    'LockOptions',
    'LockOwner',
    'LogLine',
    'Logger',
    'ManualJob',
    'Metrics',
    'NextTicksOptions',
    'OverlapPolicy',
    'PreviousTicksOptions',
    'RetentionOptions',
    'RetryOptions',
    'Role',
    'Run',
    'Schedule',
    'SkipReason',
    'Statistics',
    'TermView',
    'Transaction',
    'UpdateJob',
    'Verdict',
  ])
})

test('evertick/testing exports these values and types', () => {
  expect(Object.keys(testing).toSorted()).toEqual(['ManualClock', 'openTestNode', 'runJob'])
  expect(typesOf('src/testing/index.ts')).toEqual(['JobRun', 'RunJobOptions', 'TestNode', 'TestNodeOptions'])
})

test('every subpath of the package has its source', () => {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default],
  )
  const missing = targets.filter(
    (file) => !existsSync(join(root, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))),
  )
  expect(targets.length).toBeGreaterThan(0)
  expect(missing).toEqual([])
})

test('the version in the code is that of package.json', () => {
  expect(version).toBe(manifest.version)
})
