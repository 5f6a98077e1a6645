/** The terms of somebody's own leader log: history, and nobody's lead. */
import { expect, test } from 'vitest'
import { adoptLeaderLog } from '../../../src/compat/adopt/leader-log.ts'
import { became, oldSystem } from './old-system.ts'

/** The example of the document: one node, two terms, the second still open. */
const log = `
  CREATE TABLE scheduler_leader_log (id INTEGER PRIMARY KEY AUTOINCREMENT, leader_instance VARCHAR(255) NOT NULL,
    start_time DATETIME NOT NULL, stop_time DATETIME DEFAULT NULL, last_heartbeat DATETIME DEFAULT NULL,
    handled_missed_tasks BOOLEAN DEFAULT FALSE, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME);
  INSERT INTO scheduler_leader_log (leader_instance, start_time, stop_time, last_heartbeat, handled_missed_tasks) VALUES
    ('nodeA', '2025-09-01 10:00:00', '2025-09-01 10:15:00', '2025-09-01 10:14:30', 0),
    ('nodeA', '2025-09-01 10:30:00', NULL, '2025-12-31 23:59:59', 1);`

test('each term keeps its instance, start, stop, heartbeat and flag, once; the newest comes first', async () => {
  const { node, options } = await oldSystem(log)
  const given = options('scheduler_leader_log')
  const dry = await adoptLeaderLog(node.evertick, { ...given, dryRun: true })
  expect(became(dry)).toEqual(['no stop > a term of the past: 1', 'stopped > a term of the past: 1'])
  expect(became(await adoptLeaderLog(node.evertick, given))).toEqual(became(dry))
  const again = await adoptLeaderLog(node.evertick, given)
  expect(became(again).every((line) => line.includes('imported before'))).toBe(true)
  const past = (await node.evertick.leader.terms({ instance: 'nodeA' })).map((term) => [
    term.id < 0,
    term.startTime.toISOString(),
    term.stopTime?.toISOString() ?? null,
    term.lastHeartbeat?.toISOString() ?? null,
    term.handledMissedTasks,
  ])
  expect(past).toEqual([
    [true, '2025-09-01T10:30:00.000Z', null, '2025-12-31T23:59:59.000Z', true],
    [true, '2025-09-01T10:00:00.000Z', '2025-09-01T10:15:00.000Z', '2025-09-01T10:14:30.000Z', false],
  ])
})

test('none of them leads, however new its heartbeat: a node is elected at once, and its term comes first', async () => {
  const { node, options } = await oldSystem(log)
  await adoptLeaderLog(node.evertick, options('scheduler_leader_log'))
  await node.advance('1m')
  const current = await node.evertick.leader.current()
  const [newest] = await node.evertick.leader.terms({ limit: 1 })
  expect(current?.termId).toBeGreaterThan(0)
  expect(newest).toMatchObject({ id: current?.termId, leaderInstance: current?.instance })
})

test('a term that cannot be read is left, and the others are taken', async () => {
  const { node, owner, options } = await oldSystem(log)
  owner.exec(`INSERT INTO scheduler_leader_log (leader_instance, start_time) VALUES ('nodeB', 'yesterday')`)
  const { left, groups } = await adoptLeaderLog(node.evertick, options('scheduler_leader_log'))
  expect(left).toMatchObject([{ row: '3', why: 'its start_time is "yesterday", not a time' }])
  expect(groups).toHaveLength(2)
})
