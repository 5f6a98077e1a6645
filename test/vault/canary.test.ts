/** A canary in every slot that a secret may stand in reaches its goal, and is found nowhere else, in no spelling. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { allRoutes } from '../../src/http/all-routes.ts'
import { defineJob, type HandlerOptions, type JobContext, outcome } from '../../src/index.ts'
import { answeringServer } from '../app/source/answering-server.ts'
import { inProcess } from '../cli/in-process.ts'
import { argvProgram, shellProgram, testFolder } from '../handlers/command-node.ts'
import { echoServer } from '../handlers/echo-server.ts'
import { openApi, requestOf } from '../http/api-under-test.ts'
import { readEvents } from '../http/event-stream.ts'
import { examplePath } from '../http/example-path.ts'
import { recordSpans } from '../observe/recorded-spans.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { foundIn } from './spellings.ts'

const spans = recordSpans()
const word = (slot: string) => `canary+${slot}/7f3a9c`
const inPlace = { header: word('header'), cookie: word('cookie'), env: word('env'), hook: word('hook') }
const named = {
  'in-header': word('named-header'),
  'in-env': word('named-env'),
  'in-body': word('named-body'),
  'in-hook': word('named-hook'),
  'in-source': word('named-source'),
  'in-code': word('named-code'),
}
const keys = { key: word('secrets-key-0123456789-0123456789'), jwt: word('jwt-secret-0123456789-0123456789') }

const everything = async (ctx: JobContext) => {
  const secret = await ctx.secrets.get('in-code')
  const said = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), btoa(secret)].join(
    ' ',
  )
  ctx.log.warn(said, { said })
  await ctx.progress(0.5, said)
  await ctx.step('fine', () => 'done')
  return { said }
}
const jobs = [
  defineJob({ name: 'returns', run: everything }),
  defineJob({
    name: 'throws',
    retry: { attempts: 2, base: '1s', jitter: 0 },
    run: async (ctx) => {
      throw new Error((await everything(ctx)).said)
    },
  }),
  defineJob({ name: 'gives-up', run: async (ctx) => outcome.fail((await everything(ctx)).said) }),
  defineJob({
    name: 'misfits',
    retry: { attempts: 1 },
    result: z.object({ said: z.string().max(3) }),
    run: everything,
  }),
]

test('a canary in every slot reaches its goal, and is found nowhere else', async () => {
  vi.stubEnv('EVERTICK_SECRETS_KEY', keys.key)
  vi.stubEnv('EVERTICK_JWT_SECRET', keys.jwt)
  // They give back all that they were sent: as a result, as an error, and as an answer that is no list.
  const echo = await echoServer(({ headers, body, url }, times) => ({
    status: times % 2 === 1 ? 200 : 400,
    headers: { 'content-type': 'application/json', etag: String(headers['x-named']) },
    body: JSON.stringify({ headers, body, url }),
  }))
  const receiver = await openReceiver((response) => {
    response.writeHead(500).end(`no: ${JSON.stringify(receiver.received.at(-1)?.headers)}`)
  })
  const source = await answeringServer()
  source.answer = (response, sent) => {
    const entries = [{ id: JSON.stringify(sent) }, { id: 'listed', cron: sent['x-named'] }]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(entries))
  }
  const prints = argvProgram()
  const fails = shellProgram('env; env >&2; exit 1')
  const folder = testFolder()
  const database = `sqlite:${join(folder, 'evertick.db')}`
  const api = await openApi({
    database,
    jobs,
    allowCommands: [prints, fails],
    allowCommandEnv: ['API_TOKEN', 'PLAIN'],
    allowPrivateHosts: [echo.host, receiver.host, '127.0.0.1'],
  })
  onTestFinished(() => api.node.stop())
  const { node, call } = api
  const places = new Map<string, string>()
  const stream = await readEvents(
    await api.fetch(requestOf('GET', '/api/v1/events', { token: api.tokens.admin })),
  )
  const keep = async (method: string, path: string, json?: unknown) => {
    const answer = await call(method, `/api/v1${path}`, json)
    places.set(`${places.size}: ${method} ${path}`, `${answer.text} ${JSON.stringify([...answer.headers])}`)
    return answer
  }

  const all = { ...named, address: `http://${echo.host}/hook/${word('address')}` }
  for (const [name, value] of Object.entries(all))
    await keep('POST', '/secrets', { name, value: `old-${value}` })
  for (const [name, value] of Object.entries(all)) await keep('POST', '/secrets', { name, value })
  await keep('POST', '/secrets', { name: 'not valid', value: word('refused') })
  await keep('POST', '/secrets', { name: 'a', value: [word('refused')] })
  const env = { API_TOKEN: inPlace.env, PLAIN: { secret: 'in-env' } }
  const handlers: Record<string, HandlerOptions> = {
    calls: {
      type: 'http',
      url: echo.url,
      headers: {
        Authorization: `Bearer ${inPlace.header}`,
        Cookie: `sid=${inPlace.cookie}; theme=dark`,
        'X-Named': { secret: 'in-header' },
      },
      body: { deep: [{ secret: 'in-body' }] },
    },
    hidden: { type: 'http', url: { secret: 'address' } },
    prints: { type: 'command', command: prints, env },
    fails: { type: 'command', command: fails, env },
    shop: {
      type: 'source',
      url: source.url,
      headers: { 'X-Named': { secret: 'in-source' } },
      mapping: { name: 'id', 'schedule.cron': 'cron' },
      job: { handler: 'scan' },
    },
  }
  const hook = { url: receiver.url, headers: { 'X-Token': inPlace.hook, 'X-Named': { secret: 'in-hook' } } }
  const made = await call('POST', '/api/v1/webhooks', { name: 'ops', events: ['*'], ...hook })
  const signing = String(made.json['secret'])
  for (const [name, handler] of Object.entries(handlers))
    await keep('POST', '/jobs', { name, handler, retry: { attempts: 1 } })
  await node.settle()
  for (const name of [...Object.keys(handlers), ...jobs.map((job) => job.name)]) {
    for (let run = 0; run < 2; run += 1) {
      await keep('POST', `/jobs/${name}/trigger`)
      await node.advance('3s')
    }
  }
  const refused = { handler: { ...handlers['calls'], headers: { Authorization: inPlace.header, Cookie: 7 } } }
  await keep('PATCH', '/jobs/calls', refused)
  await keep('POST', '/jobs/apply', { name: 'f', dryRun: true, jobs: [{ name: 'calls', ...refused }] })
  await keep('POST', '/webhooks/ops/test')
  await keep('DELETE', '/secrets/in-header')
  await keep('POST', '/secrets/rotate')

  // Every route that reads, of everything there is.
  const ids = (await node.evertick.executions.list({ limit: 100 })).executions.map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(18)
  const things = [...Object.keys(handlers), ...jobs.map(({ name }) => name), 'ops', ...ids]
  for (const { method, fullPath } of allRoutes.filter((route) => route.method === 'get')) {
    const each = fullPath.includes('{') ? things : ['']
    for (const thing of each) {
      const path = examplePath(fullPath, { id: thing, name: thing })
      const answer = await call(method.toUpperCase(), path)
      places.set(`${method} ${path}`, answer.text)
    }
  }
  for (const page of ['/', '/docs']) places.set(page, (await call('GET', page)).text)
  places.set('the stream', stream.text())
  places.set('the log', api.logged.join('\n'))
  for (const name of ['evertick.execute', 'evertick.step', 'evertick.enqueue']) {
    const told = spans.named(name).map(({ attributes, events, status }) => ({ attributes, events, status }))
    places.set(`spans ${name}`, JSON.stringify(told))
  }
  await node.evertick.backup(join(folder, 'all.backup'))
  // With the write-ahead log, which is part of the database while nodes run.
  for (const file of readdirSync(folder)) places.set(file, readFileSync(join(folder, file), 'latin1'))
  places.set('the backup, unpacked', gunzipSync(readFileSync(join(folder, 'all.backup'))).toString())
  await node.stop()
  for (const file of readdirSync(folder))
    places.set(`${file}, stopped`, readFileSync(join(folder, file), 'latin1'))
  const cliEnv = {
    EVERTICK_SECRETS_KEY: keys.key,
    EVERTICK_JWT_SECRET: keys.jwt,
    EVERTICK_DATABASE_URL: database,
  }
  for (const line of [
    'doctor',
    'secrets list',
    'jobs show calls',
    'webhooks show ops',
    'executions list --limit 100',
    'audit-log',
    'export yaml',
    'secrets delete in-header',
    ...ids.map((id) => `executions show ${id}`),
    ...ids.map((id) => `executions logs ${id}`),
  ]) {
    for (const args of [line.split(' '), [...line.split(' '), '--json']]) {
      const ran = await inProcess(args, { cwd: folder, env: cliEnv })
      places.set(args.join(' '), ran.stdout + ran.stderr)
    }
  }

  // All of them were where they belong.
  const reached = JSON.stringify([echo.asked, receiver.received, source.asked])
  const sent = { ...inPlace, ...named, address: word('address') }
  const unsent = Object.entries(sent).filter(([, value]) => !reached.includes(value))
  // These went to programs and code of this machine.
  expect(unsent.map(([slot]) => slot)).toEqual(['env', 'in-env', 'in-code'])
  // The search finds what is there.
  expect(foundIn(places, { mark: '[redacted]' }).length).toBeGreaterThan(20)
  expect(foundIn(places, { job: 'gives-up' }).length).toBeGreaterThan(20)
  const secrets = {
    ...inPlace,
    ...named,
    ...keys,
    address: word('address'),
    refused: word('refused'),
    signing,
  }
  expect(foundIn(places, secrets)).toEqual([])
})
