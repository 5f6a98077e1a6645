/** What is wrong with an answer, whatever was asked; nothing, if all is well. */
import { errorKinds } from '../../../src/core/error.ts'
import type { PlacedEndpoint } from '../../../src/http/all-routes.ts'
import { apiHeaders } from '../../../src/http/guard/headers.ts'
import type { Answered } from '../api-under-test.ts'

export function problemsWith(answer: Answered, route: PlacedEndpoint | undefined): string[] {
  const found = Object.keys(apiHeaders)
    .filter((name) => !answer.headers.has(name))
    .map((name) => `the header ${name} is missing`)
  if (answer.status >= 500) found.push(`${answer.status}: ${answer.text}`)
  return [...found, ...(answer.status >= 400 ? badProblem(answer) : badSuccess(answer, route))]
}

function badProblem({ status, headers, json, text }: Answered): string[] {
  const type = headers.get('content-type')
  if (type !== 'application/problem+json') return [`${status} with the content type ${type}: ${text}`]
  const found: string[] = []
  if (json.status !== status) found.push(`the status ${status} is called ${String(json.status)}`)
  if (!(String(json.code) in errorKinds)) found.push(`no code of ours: ${String(json.code)}`)
  if (typeof json.detail !== 'string' || json.detail === '') found.push('no detail')
  if (/\bat .*\.ts:\d+|SELECT |INSERT |UPDATE |evertick_\w+/.test(text))
    found.push(`shows its inside: ${text}`)
  if (text.length > 10_000) found.push(`a problem of ${text.length} letters`)
  return found
}

function badSuccess({ status, text, json }: Answered, route: PlacedEndpoint | undefined): string[] {
  if (route === undefined) return ['a success without a route']
  if (route.contentType !== undefined) return []
  if (route.answers === null) return text === '' ? [] : [`a body where none was promised: ${text}`]
  if (status !== (route.status ?? 200)) return [`${status} instead of ${route.status ?? 200}`]
  const parsed = route.answers.safeParse(json)
  return parsed.success ? [] : [`not as its schema says: ${parsed.error.message}`]
}
