/** No job comes after itself, and no join waits for runs that cannot belong together. */
import { expect, test } from 'vitest'
import { type GraphJob, refuseGraph } from '../../../src/core/dependency/graph.ts'

const after = (name: string, parents: readonly string[], more: Partial<GraphJob> = {}): GraphJob => ({
  name,
  parents,
  join: 'all',
  byPeriod: false,
  ...more,
})
const graphOf = (...jobs: readonly GraphJob[]) => new Map(jobs.map((job) => [job.name, job]))

test('a circle is refused, and named', () => {
  const graph = graphOf(after('a', ['c']), after('b', ['a']), after('c', ['b']))
  expect(() => refuseGraph(graph, 'a')).toThrow('a after c after b after a')
  expect(() => refuseGraph(graphOf(after('a', ['a'])), 'a')).toThrow('a after a')
})

test('parents that begin at one job meet by its runs', () => {
  const diamond = graphOf(after('b', ['a']), after('c', ['a']), after('d', ['b', 'c']))
  expect(() => refuseGraph(diamond, 'd')).not.toThrow()
  expect(() => refuseGraph(graphOf(after('d', ['a', 'b']), after('b', ['a'])), 'd')).not.toThrow()
})

test('"after all imports" without a period would never join: refused, with that hint', () => {
  const graph = graphOf(after('report', ['import-a', 'import-b']))
  expect(() => refuseGraph(graph, 'report')).toThrow('go back to "import-a" and "import-b"')
  for (const more of [{ byPeriod: true }, { join: 'any' as const }]) {
    expect(() =>
      refuseGraph(graphOf(after('report', ['import-a', 'import-b'], more)), 'report'),
    ).not.toThrow()
  }
})

test('a change that leaves the join of another job without a meeting is refused, and that job named', () => {
  const graph = graphOf(after('b', ['x']), after('c', ['a']), after('d', ['b', 'c']))
  expect(() => refuseGraph(graph, 'b')).toThrow('the parents of "d"')
})

test('a job that is made by periods is a beginning', () => {
  const daily = after('daily', ['a', 'b'], { byPeriod: true })
  expect(() =>
    refuseGraph(graphOf(daily, after('one', ['daily']), after('two', ['one', 'daily'])), 'two'),
  ).not.toThrow()
  expect(() => refuseGraph(graphOf(daily, after('two', ['daily', 'a'])), 'two')).toThrow('"a" and "daily"')
})
