/** `evertick jobs`: the group, and the short forms of its commands. */
import type { Command } from 'commander'
import type { Cli } from '../../session.ts'
import { addCancel, addDelete, addPause, addResetCursor, addResume, addRetry, addTrigger } from './actions.ts'
import { addRotateCheckIn } from './check-in.ts'
import { addConvert } from './convert.ts'
import { addCreate, addUpdate } from './edit.ts'
import { addList } from './list.ts'
import { addShow, addStats, addUpcoming } from './show.ts'

export function addJobs(program: Command, cli: Cli): void {
  const jobs = program
    .command('jobs')
    .alias('job')
    .summary('list, show, create, change, pause and run jobs')
    .description('Manages jobs. Refer to a job by its name or its id.')
  addList(jobs, cli)
  addShow(jobs, cli)
  addCreate(jobs, cli).alias('add')
  addUpdate(jobs, cli).alias('edit')
  addDelete(jobs, cli).alias('rm')
  addPause(jobs, cli)
  addResume(jobs, cli)
  addCancel(jobs, cli)
  addRetry(jobs, cli)
  addTrigger(jobs, cli).alias('run')
  addUpcoming(jobs, cli).alias('next')
  addStats(jobs, cli)
  addRotateCheckIn(jobs, cli)
  addConvert(jobs, cli)
  addResetCursor(jobs, cli)
  addShortForms(program, cli)
}

/** `evertick add|edit|rm|run|next …`: the same commands, one word shorter; the help lists them only once. */
function addShortForms(program: Command, cli: Cli): void {
  const hidden = { hidden: true }
  addCreate(program, cli, { name: 'add', ...hidden })
  addUpdate(program, cli, { name: 'edit', ...hidden })
  addDelete(program, cli, { name: 'rm', ...hidden })
  addTrigger(program, cli, { name: 'run', ...hidden })
  addUpcoming(program, cli, { name: 'next', ...hidden })
}
