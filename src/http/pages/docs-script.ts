/** Draws `/docs` in the browser. Text is inserted as text, never as HTML. */
export const docsScript = `const element = (name, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(name), attributes)
  made.append(...children)
  return made
}
const text = (name, className, textContent) => element(name, { className, textContent })
const refName = (schema) => schema.$ref.split('/').at(-1)
const words = (schema) => {
  if (schema === undefined) return ''
  if (schema.$ref) return refName(schema)
  if (schema.enum) return schema.enum.join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return words(schema.items) + '[]'
  const some = schema.anyOf ?? schema.oneOf
  if (some) return some.map(words).join(' | ')
  return schema.format === 'date-time' ? 'instant' : [schema.type ?? 'any'].flat().join(' | ')
}
const rowsOf = (schema, all) => {
  const resolved = schema.$ref ? all[refName(schema)] : schema
  const some = resolved.anyOf ?? resolved.oneOf
  if (some) return some.map((one) => ['one of', Object.keys(one.properties ?? {}).join(', '), ''])
  return Object.entries(resolved.properties ?? {}).map(([name, field]) => [
    name + (resolved.required?.includes(name) ? '' : '?'), words(field), field.description ?? '',
  ])
}
const table = (rows) => element('table', {}, element('tbody', {}, ...rows.map((row) =>
  element('tr', {}, ...row.map((cell, at) => element('td', {}, at === 0 ? text('code', '', cell) : cell))))))
const part = (title, rows) => [text('h3', '', title), ...(rows.length > 0 ? [table(rows)] : [])]
const curlOf = (method, path, operation) => [
  'curl -s',
  ...(method === 'get' || (method === 'post' && operation.requestBody) ? [] : ['-X ' + method.toUpperCase()]),
  ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
  ...(operation.requestBody ? ["--json '{ … }'"] : []),
  '"' + new URL('.', location).href + path.slice(1) + '"',
].join(' ')
const tryIt = (path) => {
  const output = element('pre', { hidden: true, tabIndex: 0 })
  const button = element('button', { type: 'button', textContent: 'Try it' })
  button.addEventListener('click', async () => {
    button.disabled = true
    try {
      const response = await fetch('.' + path)
      const answer = await response.text()
      const isJson = (response.headers.get('content-type') ?? '').includes('json')
      output.textContent = response.status + '  ' + (isJson ? JSON.stringify(JSON.parse(answer), null, 2) : answer)
    } catch {
      output.textContent = 'The server does not answer.'
    }
    output.hidden = false
    button.disabled = false
  })
  return [button, output]
}
const route = (method, path, operation, all) => {
  const role = /role .(viewer|operator|admin)/.exec(operation.description)?.[1] ?? 'public'
  const parameters = operation.parameters.map((one) =>
    [one.name + (one.required ? '' : '?'), words(one.schema), one.schema.description ?? 'in the ' + one.in])
  const body = operation.requestBody?.content['application/json'].schema
  const [status, answer] = Object.entries(operation.responses)[0]
  const [type, content] = Object.entries(answer.content ?? {})[0] ?? []
  const isJson = type === 'application/json'
  const canTry = method === 'get' && type !== 'text/event-stream' && !operation.parameters.some((one) => one.required)
  const made = element('details', { id: operation.operationId },
    element('summary', {}, text('span', 'method ' + method, method.toUpperCase()), text('code', '', path),
      text('span', 'what', operation.summary.replaceAll(String.fromCharCode(96), '')), text('span', 'role', role)),
    element('div', { className: 'inside' },
      text('pre', '', curlOf(method, path, operation)),
      ...(parameters.length > 0 ? part('Parameters', parameters) : []),
      ...(body ? part('Body' + (body.$ref ? ': ' + refName(body) : ''), rowsOf(body, all)) : []),
      ...part('Answers ' + status + (content ? ': ' + (isJson ? words(content.schema) : type) : ''), isJson ? rowsOf(content.schema, all) : []),
      ...(canTry ? tryIt(path) : [])))
  made.dataset.find = [method, path, operation.summary, role].join(' ').toLowerCase()
  return made
}
function findBy(wanted) {
  const parts = wanted.toLowerCase().split(' ').filter(Boolean)
  for (const section of document.querySelectorAll('main section')) {
    const routes = [...section.querySelectorAll('details')]
    for (const one of routes) one.hidden = !parts.every((word) => one.dataset.find.includes(word))
    section.hidden = routes.every((one) => one.hidden)
  }
  document.getElementById('nothing').hidden = [...document.querySelectorAll('main section')].some((one) => !one.hidden)
}
function drawRoutes(api) {
  const groups = new Map()
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags
      groups.set(tag, [...(groups.get(tag) ?? []), route(method, path, operation, api.components.schemas)])
    }
  const main = document.getElementById('routes')
  main.replaceChildren(
    text('p', 'lead', 'Every route of this node, with the role that it needs. Programs send a token (evertick token create), people sign in by a link (evertick login).'),
    element('p', { id: 'nothing', className: 'none', hidden: true, textContent: 'No route matches.' }),
    ...[...groups].map(([tag, routes]) => element('section', {}, element('h2', { id: tag, textContent: tag }),
      element('div', { className: 'routes' }, ...routes))))
  main.removeAttribute('aria-busy')
  document.getElementById('groups').replaceChildren(
    ...[...groups.keys()].map((tag) => element('a', { href: '#' + tag, textContent: tag })))
  document.getElementById('version').textContent = api.info.version
}
async function draw() {
  drawRoutes(await (await fetch('openapi.json')).json())
  document.getElementById('find').addEventListener('input', (event) => findBy(event.target.value))
  const named = document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) named.open = true
  named?.scrollIntoView()
  const session = await fetch('api/v1/session')
  document.getElementById('who').textContent = session.ok
    ? 'Signed in as ' + (await session.json()).role
    : 'Not signed in'
}
draw().catch(() => { document.getElementById('routes').textContent = 'The server does not answer.' })
`
