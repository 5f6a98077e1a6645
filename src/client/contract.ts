/** The types of the client: the routes of the server, and nothing of its own. At run time this file is empty. */
import type { Route } from '../http/all-routes.ts'

/** A route whose path the compiler does not know would stand for every other. */
type Typed<R extends Route> = R extends { readonly path: infer Path }
  ? string extends Path
    ? never
    : R
  : never

/** `'GET /jobs/{id}'`, and what goes in and comes out there. */
export type Routes = {
  [R in Typed<Route> as `${Uppercase<R['method']>} ${R['path']}`]: NonNullable<R['contract']>
}

export type RouteName = keyof Routes
export type Params<Name extends RouteName> = Routes[Name]['params']
export type Query<Name extends RouteName> = Routes[Name]['query']
export type Body<Name extends RouteName> = Routes[Name]['body']
export type Answer<Name extends RouteName> = Routes[Name]['answer']

export type Job = Answer<'GET /jobs/{id}'>
/** As lists have it: without the input, and what the last execution was given and has returned. */
export type ListedJob = Answer<'GET /jobs'>['jobs'][number]
export type Execution = Answer<'GET /executions'>['executions'][number]
export type ExecutionDetail = Answer<'GET /executions/{id}'>
export type LiveEvent = Answer<'GET /events'>
export type Session = Answer<'GET /session'>
