/** Alerts and their rules, as the API shows them and as they are written. */
import { z } from 'zod'
import { alertStates } from '../../core/alert/alert.ts'
import { alertSubjects } from '../../core/alert/alert-kinds.ts'
import { alertKindNames, severities, untilResumed } from '../../core/alert/alert-rule.ts'
import { duration, givenInstant, instant, name, nextCursor, page } from './named.ts'

export const alert = name(
  'Alert',
  z.object({
    id: z.string(),
    rule: z.string(),
    kind: z.enum(alertKindNames),
    severity: z.enum(severities),
    state: z.enum(alertStates),
    subject: z.enum(alertSubjects),
    name: z.string().describe('Of the job or the queue; empty where it is about the cluster'),
    jobId: z.string().nullable(),
    sentence: z.string(),
    next: z.string().describe('What to do about it'),
    openedAt: instant,
    resolvedAt: instant.nullable(),
    acknowledgedAt: instant.nullable(),
    acknowledgedBy: z.string().nullable(),
    snoozedUntil: instant.nullable(),
    snoozedBy: z.string().nullable(),
    note: z.string().nullable(),
  }),
)

export const alerts = name('Alerts', z.object({ alerts: z.array(alert), nextCursor }))

export const alertCounts = name(
  'AlertCounts',
  z.object({ open: z.int(), acknowledged: z.int(), snoozed: z.int() }),
)

export const alertQuery = z.strictObject({
  state: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(alertStates)))
    .describe('One or more of them, with commas between')
    .optional(),
  rule: z.string().max(200).optional(),
  job: z.string().min(1).max(200).describe('Its name or id').optional(),
  ...page,
})

const note = z.string().max(2_000).optional()
export const ack = z.strictObject({ note })
export const snooze = z.strictObject({ until: z.union([givenInstant, duration]), note })

const texts = z.array(z.string().max(200)).max(200)
const jobs = z.object({ names: texts, tags: texts })
const quiet = z.object({ from: z.string(), to: z.string(), timezone: z.string() })

export const alertRule = name(
  'AlertRule',
  z.object({
    name: z.string(),
    kind: z.enum(alertKindNames),
    enabled: z.boolean(),
    severity: z.enum(severities),
    params: z.record(z.string(), z.union([z.number(), z.string()])),
    jobs: jobs.nullable(),
    for: duration,
    repeat: duration.nullable(),
    quiet: quiet.nullable(),
    action: z.object({ pause: z.union([z.literal(untilResumed), duration]) }).nullable(),
    builtIn: z.boolean(),
    changedBy: z.string().nullable(),
    changedAt: instant.nullable(),
  }),
)

export const alertRules = name('AlertRules', z.object({ rules: z.array(alertRule) }))

/** The use case checks it, and names what is wrong: parameters depend on the kind. */
export const writtenRule = z.strictObject({
  name: z.string().max(200),
  kind: z.enum(alertKindNames).optional(),
  enabled: z.boolean().optional(),
  severity: z.enum(severities).optional(),
  params: z.record(z.string(), z.union([z.number(), z.string().max(100)])).optional(),
  jobs: jobs.partial().nullable().optional(),
  for: duration.optional(),
  repeat: duration.nullable().optional(),
  quiet: quiet.partial({ timezone: true }).nullable().optional(),
  action: z
    .object({ pause: z.union([z.literal(untilResumed), duration]) })
    .nullable()
    .optional(),
})
export const ruleName = z.strictObject({ name: z.string().min(1).max(200) })
