/** The part of the behaviour of every route that is about jobs after jobs. */
import { expect, test } from 'vitest'
import type { Asking } from './asking.ts'

export function testDependencies(asked: () => { readonly ask: Asking['ask'] }): void {
  test('a job says what it comes after, and what comes after it', async () => {
    const { ask } = asked()
    expect((await ask('POST', '/jobs', { name: 'after-greet', after: ['greet:any'] })).status).toBe(201)
    expect((await ask('GET', '/jobs/greet/dependencies?limit=5')).json).toEqual({
      parents: [],
      children: [{ job: 'after-greet', on: 'any', state: 'active' }],
      joins: [],
    })
    expect((await ask('GET', '/dependencies')).json).toEqual({
      edges: [{ parent: 'greet', child: 'after-greet', on: 'any' }],
    })
    expect((await ask('DELETE', '/jobs/after-greet')).status).toBe(204)
  })
}
