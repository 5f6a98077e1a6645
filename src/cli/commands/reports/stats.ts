/** `evertick stats`: statistics of everything. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { percentWords } from '../../output/count-words.ts'
import { writePairs } from '../../output/table.ts'
import { durationWords } from '../../output/times.ts'
import { type Cli, withEvertick } from '../../session.ts'

export function addStats(program: Command, cli: Cli): void {
  const command = program
    .command('stats')
    .summary('statistics of all jobs and executions')
    .description('Shows statistics of all jobs and of the executions that are still kept.')
    .action(() =>
      withEvertick(cli, command, async ({ evertick, terminal }) => {
        const metrics = await evertick.metrics()
        const { jobs, executions, successRate, avgDurationMs, staleLeases } = metrics
        const byState = Object.entries(jobs.byStatus).map(([state, count]) => `${count} ${state}`)
        terminal.answer(metrics, (out) =>
          writePairs(out, [
            ['jobs', `${jobs.total}${byState.length === 0 ? '' : ` (${byState.join(', ')})`}`],
            ['executions kept', executions.total.toLocaleString('en')],
            ['running', String(executions.running)],
            ['retrying', String(executions.retrying)],
            ['sleeping', String(executions.sleeping)],
            ['waiting', String(executions.waiting)],
            ['completed', out.paint('ran', executions.completed.toLocaleString('en'))],
            [
              'failed',
              out.paint(executions.failed === 0 ? 'dim' : 'failed', executions.failed.toLocaleString('en')),
            ],
            ['success rate', percentWords(successRate)],
            ['average run', avgDurationMs === null ? '–' : durationWords(avgDurationMs)],
            ['stale leases', String(staleLeases)],
          ]),
        )
      }),
    )
  examples(command, [['stats'], ['stats --json']])
}
