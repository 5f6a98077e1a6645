/** The tables of what is made and counted as a whole: flows and batches. */
import { type BackedUpTable, number, text, uuid } from './backed-up-table.ts'

export const groupTables: readonly BackedUpTable[] = [
  {
    name: 'flows',
    key: ['id'],
    columns: {
      ...uuid('id'),
      ...text('name state'),
      ...number('steps completed failed cancelled created_at finished_at'),
    },
  },
  {
    name: 'flow_steps',
    key: ['flow_id', 'name'],
    columns: {
      ...uuid('flow_id'),
      ...text('name'),
      ...number('position'),
      ...uuid('execution_id'),
      ...text('parents on_failure'),
      ...number('generation'),
    },
  },
  {
    name: 'flow_edges',
    key: ['flow_id', 'parent', 'child'],
    columns: { ...uuid('flow_id'), ...text('parent child') },
  },
  {
    name: 'flow_retries',
    key: ['flow_id', 'name', 'generation'],
    columns: { ...uuid('flow_id'), ...text('name'), ...number('generation'), ...uuid('execution_id') },
  },
  {
    name: 'batches',
    key: ['id'],
    columns: {
      ...uuid('id'),
      ...text('name'),
      ...number('total completed failed cancelled created_at done_at'),
      ...uuid('on_done_id'),
    },
  },
  {
    name: 'batch_members',
    key: ['batch_id', 'execution_id'],
    columns: { ...uuid('batch_id execution_id') },
  },
]
