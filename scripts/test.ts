// npm test: every check of the repository, one after another. The last line is `N passed, N failed`.
//   node scripts/test.ts            all
//   node scripts/test.ts unit       the quick part: no server, no extra process, no package
//   node scripts/test.ts campaign   the long part: the same tests with far more cases; it goes on where it was cut off
import { globSync, readFileSync } from 'node:fs'
import { CampaignProgress } from './campaign-progress.ts'
import { runCommand } from './run-command.ts'
import { runVitest, type Tally, type TimedTest } from './run-vitest.ts'

/** Folders of test/ that the quick part leaves out. */
const slowFolders = ['process', 'rig', 'simulation', 'servers', 'browser', 'cli', 'docs', 'examples']

/** What the campaign turns up. It runs exactly the test files that read one of these. */
const campaignSizes = {
  EVERTICK_CRON_CASES: '1000000',
  EVERTICK_KILLS: '50',
  EVERTICK_KILL_MOMENTS: 'all',
  EVERTICK_STEP_KILLS: '200',
  EVERTICK_FILE_HISTORIES: '1000',
  EVERTICK_HISTORIES: '2000',
  EVERTICK_STACK_HISTORIES: '500',
  EVERTICK_FUZZ_REQUESTS: '100000',
  EVERTICK_LEDGER_DAYS: '400',
}
const campaignTimeoutMs = 3_600_000
/** The simulation's share of the campaign, in pieces that a cut-off run need not repeat. */
const campaignSeeds = { safety: 100_000, liveness: 20_000 }
const seedsAtOnce = 5_000
/** The explorer's, likewise. */
const explorerParts = 40

interface Step {
  readonly name: string
  run(): Promise<Tally>
}

const slowest: TimedTest[] = []

const types = commandStep('types', process.execPath, ['scripts/type-checks.ts'])
const dashboard = commandStep('dashboard', process.execPath, ['scripts/build-dashboard.ts'])
const lint = commandStep('lint', 'oxlint', ['--type-aware'])
const architecture = commandStep('architecture', process.execPath, ['scripts/check-architecture.ts'])
const format = commandStep('format', 'biome', ['check'])
const generatedClient = commandStep('a client made of the OpenAPI document', process.execPath, [
  '--no-warnings',
  'scripts/check-openapi-client.ts',
])
const simulation = simulationStep('simulation', '--seeds', '200')
const pack = commandStep('package', process.execPath, ['scripts/check-package.ts'])
const unitTests = vitestStep(
  'unit tests',
  slowFolders.flatMap((name) => ['--exclude', `test/${name}/**`]),
)

/** Five forms of enqueue on each engine: 20,000 acknowledgements in a race with a job that comes and goes. */
const acknowledged = vitestStep(
  'acknowledged enqueues',
  [
    ...['store/sqlite', 'servers/postgres', 'servers/mysql'].map((name) => `test/${name}.test.ts`),
    '-t',
    'acknowledged',
    `--testTimeout=${campaignTimeoutMs}`,
  ],
  { EVERTICK_RACED_ENQUEUES: '4000' },
)

const plans: Readonly<Record<string, readonly Step[]>> = {
  all: [types, lint, architecture, format, dashboard, vitestStep('tests', []), simulation, pack],
  unit: [types, lint, architecture, format, unitTests],
  campaign: [
    generatedClient,
    ...Object.keys(campaignSizes).map(campaignStep),
    acknowledged,
    simulationStep('every planted bug', '--bugs', '--seeds', '200'),
    ...explorerSteps(),
    ...Object.entries(campaignSeeds).flatMap(([mode, seeds]) => seedSteps(mode, seeds)),
    simulationStep('a virtual year', '--mode', 'soak', '--seeds', '2'),
  ],
}

function commandStep(name: string, command: string, args: readonly string[]): Step {
  return {
    name,
    async run() {
      const { ok, text } = await runCommand(command, args, { output: 'inherit' })
      if (text !== '') console.log(text)
      return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
    },
  }
}

function vitestStep(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Step {
  return {
    name,
    async run() {
      const result = await runVitest(args, env)
      slowest.push(...result.slowest)
      return result
    },
  }
}

function simulationStep(name: string, ...args: string[]): Step {
  return commandStep(name, process.execPath, ['--no-warnings', 'test/simulation/simulate.ts', ...args])
}

function seedSteps(mode: string, seeds: number): Step[] {
  return Array.from({ length: seeds / seedsAtOnce }, (_, index) => {
    const from = index * seedsAtOnce + 1
    const name = `${mode}, seeds ${from} to ${from + seedsAtOnce - 1}`
    return simulationStep(name, '--mode', mode, '--from', String(from), '--seeds', String(seedsAtOnce))
  })
}

function explorerSteps(): Step[] {
  const files = globSync('test/servers/*-explorer.test.ts')
  return Array.from({ length: explorerParts }, (_, index) => {
    const part = `${index + 1}/${explorerParts}`
    return vitestStep(`explorer, part ${part}`, files, { EVERTICK_EXPLORE: part })
  })
}

function campaignStep(variable: string): Step {
  const files = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes(variable))
  if (files.length > 0) {
    return vitestStep(variable, [...files, `--testTimeout=${campaignTimeoutMs}`], campaignSizes)
  }
  return {
    name: variable,
    async run() {
      console.log(`no test file reads ${variable}: this part of the campaign would prove nothing`)
      return { passed: 0, failed: 1, skipped: 0 }
    },
  }
}

async function main(plan: readonly Step[], progress: CampaignProgress | null): Promise<void> {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const failedSteps: string[] = []
  for (const [index, step] of plan.entries()) {
    if (progress?.isDone(step.name)) {
      console.log(`\n[${index + 1}/${plan.length}] ${step.name}: done by an earlier run of this code`)
      total.passed += 1
      continue
    }
    console.log(`\n[${index + 1}/${plan.length}] ${step.name} …`)
    const startedAt = performance.now()
    const tally = await step.run()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(
      `[${index + 1}/${plan.length}] ${step.name}: ${tally.failed === 0 ? 'ok' : 'FAILED'}, ${seconds} s`,
    )
    total.passed += tally.passed
    total.failed += tally.failed
    total.skipped += tally.skipped
    if (tally.failed > 0) failedSteps.push(step.name)
    else progress?.done(step.name)
  }
  if (failedSteps.length === 0) progress?.forget()
  if (slowest.length > 0) console.log('\nslowest tests')
  for (const test of slowest.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, 10)) {
    console.log(`${test.durationMs.toFixed(0).padStart(8)} ms  ${test.name}`)
  }
  if (failedSteps.length > 0) console.log(`\nfailed: ${failedSteps.join(', ')}`)
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`)
  process.exitCode = total.failed === 0 ? 0 : 1
}

const name = process.argv[2] ?? 'all'
const plan = plans[name]
if (plan === undefined || process.argv.length > 3) {
  console.error(`unknown plan ${process.argv.slice(2).join(' ')}: one of ${Object.keys(plans).join(', ')}`)
  process.exitCode = 2
} else {
  await main(plan, name === 'campaign' ? new CampaignProgress() : null)
}
