// Searches 200 seeds for each planted bug, and writes the first that catches it to catches.json. Takes a few minutes.
//   node --no-warnings test/simulation/planted/record-catches.ts [workers]
import { searchBugs } from '../campaign/bug-search.ts'
import { SeedRunner } from '../campaign/seed-runner.ts'
import { type Catch, catchMode, writeCatches } from './catches.ts'
import { countHarm } from './harm.ts'

const workers = process.argv[2] === undefined ? null : Number(process.argv[2])
const campaign = { from: 1, seeds: 200, mode: catchMode, workers } as const
const say = (line: string) => process.stdout.write(`${line}\n`)

const catches: Catch[] = []
await searchBugs(campaign, ({ bug, seed, rule, tried, others }) => {
  const also = others.length === 0 ? '' : `; before that: ${others.join('; ')}`
  say(`${bug}: ${seed === null ? 'not caught' : `seed ${seed}, ${rule}`} (${tried} tried${also})`)
  if (seed === null || rule === null) process.exitCode = 1
  else catches.push({ bug, seed, rule })
})
writeCatches(catches)

const clean = await SeedRunner.start(null)
for (const seed of new Set(catches.map((one) => one.seed))) {
  const { broken } = await clean.run({ seed, mode: catchMode })
  if (broken === null) continue
  say(`seed ${seed} breaks a rule without any bug: ${broken.rule}: ${broken.message}`)
  process.exitCode = 1
}
clean.end()

const gap = 'gap-from-heartbeat-plus-grace'
const { seeds, broken, withFailover } = await countHarm(gap, campaign)
say(`${gap} loses ticks in ${broken} of ${seeds} seeds; in ${withFailover} the lead passed on`)
