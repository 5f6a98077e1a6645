/** The formats of a webhook: what Slack, a mail server, Healthchecks and anybody else are sent of the same messages. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Message } from '../../src/core/notice/message.ts'
import { messageWords } from '../../src/core/notice/message-words.ts'
import { messagePaths } from '../../src/core/notice/template.ts'
import type { CreateWebhook } from '../../src/index.ts'
import { defineJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'
import { headerOf, openMailServer } from './mail-server.ts'
import { answers } from './receiver.ts'
import { openTextReceiver, type TextReceiver } from './text-receiver.ts'

const broken = 'no "paper" <here> & there\nat line 3'
const jobs = [
  defineJob({ name: 'backup', run: () => ({ rows: 3 }) }),
  defineJob({
    name: 'report',
    retry: { attempts: 1 },
    run: () => {
      throw new Error(broken)
    },
  }),
]

async function nodeFor(receivers: readonly TextReceiver[], options: TestNodeOptions = {}): Promise<TestNode> {
  const node = await openTestNode({ jobs, allowPrivateHosts: receivers.map(({ host }) => host), ...options })
  onTestFinished(() => node.stop())
  return node
}

async function told(node: TestNode, webhook: Omit<CreateWebhook, 'name'>, ...run: string[]) {
  const created = await node.evertick.webhooks.create({ name: 'ops', ...webhook })
  await node.settle()
  const ids: string[] = []
  for (const job of run) ids.push((await node.evertick.enqueue(job)).id)
  await node.settle()
  return { created, ids }
}

async function everythingShown({ evertick }: TestNode): Promise<string> {
  return JSON.stringify([
    await evertick.webhooks.list(),
    await evertick.webhooks.deliveries('ops'),
    await evertick.jobs.list({ filter: 'handler:@webhook' }),
    await evertick.jobs.get('@webhook/ops'),
    await evertick.jobs.revisions('@webhook/ops'),
    await evertick.auditLog.list({}),
  ])
}

describe('slack', () => {
  const events = ['execution.*']

  test('a message is a sentence, with a link, and what Slack would read as markup is escaped', async () => {
    const slack = await openTextReceiver()
    const node = await nodeFor([slack])
    const link = 'https://evertick.example.com'
    const { ids } = await told(node, { url: slack.url, format: 'slack', events, link }, 'report')
    expect(slack.received).toHaveLength(1)
    const { text, ...rest } = JSON.parse(slack.received[0]?.body ?? '') as { text: string }
    expect(rest).toEqual({})
    expect(text.split('\n')).toEqual([
      'report failed: no "paper" &lt;here&gt; &amp; there',
      expect.stringMatching(/^• It was due at /),
      `<${link}/executions/${ids[0]}|Look at it>`,
    ])
    expect(slack.received[0]?.headers).not.toHaveProperty('webhook-signature')
  })

  test('its address is shown nowhere, in no error either, and is kept by an edit of what is shown', async () => {
    const slack = await openTextReceiver((response) => {
      response.writeHead(404).end(`no_service ${slack.url}`)
    })
    const node = await nodeFor([slack])
    const { created } = await told(node, { url: slack.url, format: 'slack', events }, 'report')
    expect(created).toMatchObject({ url: `http://${slack.host}/…`, secret: null })
    expect(slack.received).toHaveLength(1)
    const tested = await node.evertick.webhooks.test('ops')
    expect(tested).toMatchObject({ ok: false, status: 404 })
    expect((await everythingShown(node)) + JSON.stringify(tested)).not.toContain(slack.path)

    await node.evertick.webhooks.update('ops', { url: created.url, tags: [] })
    await node.evertick.webhooks.test('ops')
    expect(slack.received.length).toBe(3)
  })

  test('only a part of an address is refused, and so is another format', async () => {
    const node = await nodeFor([])
    const webhook = {
      name: 'ops',
      url: 'https://hooks.slack.com/services/T/B/x',
      format: 'slack',
      events,
    } as const
    await expect(
      node.evertick.webhooks.create({ ...webhook, url: 'https://hooks.slack.com/…' }),
    ).rejects.toMatchObject({ field: 'url' })
    await node.evertick.webhooks.create(webhook)
    await expect(node.evertick.webhooks.update('ops', { format: 'standard' })).rejects.toMatchObject({
      field: 'format',
    })
    await expect(node.evertick.webhooks.rotate('ops')).rejects.toMatchObject({ code: 'invalid_option' })
  })

  test('jobs that fail at once are one message there and one mail, which name the first', async () => {
    const slack = await openTextReceiver()
    const mail = await openMailServer()
    const node = await nodeFor([slack], { smtp: mail.url, logger: quiet })
    const { evertick } = node
    await evertick.webhooks.create({ name: 'mail', url: 'mailto:ann@example.com', events: ['alert.*'] })
    await told(node, { url: slack.url, format: 'slack', events: ['alert.*'] })
    const many = Array.from({ length: 8 }, (_, at) => `job-${at + 10}`)
    for (const name of many) {
      await evertick.jobs.create({
        name,
        handler: 'report',
        schedule: { every: '1m' },
        retry: { attempts: 1 },
      })
    }
    await node.advance('2m')
    await node.advance('2h')
    for (let minute = 0; minute < 3; minute += 1) await node.advance('1m')
    const [said] = slack.received
    const lines = (JSON.parse(said?.body ?? '') as { text: string }).text.split('\n')
    expect(lines).toEqual([
      '8 alerts of the rule failing opened.',
      ...many.slice(0, 5).map((name) => expect.stringMatching(`^• ${name} failed`) as string),
      '• And 3 more.',
    ])
    expect(slack.received).toHaveLength(1)
    expect(mail.mails).toHaveLength(1)
    expect(headerOf(mail.mails[0]?.source ?? '', 'subject')).toBe('8 alerts of the rule failing opened.')
  })

  test('ten thousand are no longer than five', () => {
    const alerts = Array.from({ length: 20 }, (_, at) => ({ sentence: `job-${at} failed.` }))
    const data = { rule: 'failing', count: 10_000, alerts }
    const words = messageWords({ id: '', type: 'alert.opened', timestamp: '', data })
    expect(words.sentence).toBe('10,000 alerts of the rule failing opened.')
    expect(words.lines).toHaveLength(6)
    expect(words.lines.at(-1)).toBe('And 9,995 more.')
  })
})

describe('a template', () => {
  const events = ['execution.failed']

  test('is filled in, escaped for its type: JSON in and outside of quotes', async () => {
    const any = await openTextReceiver()
    const node = await nodeFor([any])
    const body =
      '{"who": "{{ data.job }}", "why": "{{data.error.message}}", "tries": {{ data.attempt }}, "of": {{ data.tags }}, "no": {{ data.rule }}, "said": "{{ sentence }}"}'
    await told(node, { url: any.url, format: 'template', body, events }, 'report')
    const [line] = broken.split('\n')
    expect(any.received[0]?.headers['content-type']).toBe('application/json')
    expect(JSON.parse(any.received[0]?.body ?? '')).toEqual({
      who: 'report',
      why: line,
      tries: 1,
      of: [],
      no: null,
      said: `report failed: ${line}`,
    })
  })

  test.each([
    [
      'application/x-www-form-urlencoded',
      'm={{ data.error.message }}',
      'm=no%20%22paper%22%20%3Chere%3E%20%26%20there',
    ],
    [
      'text/xml; charset=utf-8',
      '<m>{{ data.error.message }}</m>',
      '<m>no &#34;paper&#34; &#60;here&#62; &#38; there</m>',
    ],
    ['text/plain', '{{ data.error.message }}{{ data.rule }}', 'no "paper" <here> & there'],
  ])('as %s', async (type, body, sent) => {
    const any = await openTextReceiver()
    const node = await nodeFor([any])
    const headers = { 'Content-Type': type }
    await told(node, { url: any.url, format: 'template', body, events, headers }, 'report')
    expect(any.received).toMatchObject([{ body: sent, headers: { 'content-type': type } }])
  })

  test.each([
    ['{"a": "{{ data.jbo }}"}', 'Did you mean data.job?'],
    ['{"a": {{ data.job }}', 'Content-Type'],
    ['{"a": "{{ }}"}', 'A placeholder is one of'],
  ])('%s is refused where it is written', async (body, next) => {
    const node = await nodeFor([])
    const webhook = { name: 'ops', url: 'https://example.com', format: 'template', body, events } as const
    await expect(node.evertick.webhooks.create(webhook)).rejects.toMatchObject({
      code: 'invalid_definition',
      field: 'body',
      next: expect.stringContaining(next) as string,
    })
  })

  test('a placeholder may name whatever a message of the standard says', async () => {
    const standard = await openTextReceiver()
    const node = await nodeFor([standard], { logger: quiet })
    await told(
      node,
      { url: standard.url, events: ['*'], include: ['result'], link: 'https://e.example.com' },
      'backup',
      'report',
    )
    await node.evertick.webhooks.test('ops')
    await node.evertick.jobs.create({
      name: 'made',
      handler: 'report',
      schedule: { every: '1m' },
      retry: { attempts: 2 },
    })
    await node.evertick.jobs.pause('backup', { reason: 'x' })
    await node.advance('2m')
    await node.advance('2h')
    for (let minute = 0; minute < 3; minute += 1) await node.advance('1m')
    const messages = standard.received.map(({ body }) => JSON.parse(body) as Message)
    expect(new Set(messages.map(({ type }) => type)).size).toBeGreaterThan(6)
    const said = messages.flatMap(({ data }) => Object.keys(data).map((name) => `data.${name}`))
    expect([...new Set(said)].filter((path) => !messagePaths.includes(path))).toEqual([])
  })
})

describe('a ping', () => {
  test('a run that completed pings the address, one that failed for good pings /fail with its error', async () => {
    const checks = await openTextReceiver(answers(200), '/5e6a7f3c-uuid')
    const node = await nodeFor([checks])
    const { ids, created } = await told(
      node,
      { url: checks.url, format: 'ping', jobs: ['backup', 'report'] },
      'backup',
      'report',
    )
    expect(created).toMatchObject({
      events: ['execution.completed', 'execution.failed'],
      url: `http://${checks.host}/…`,
    })
    const pings = checks.received.map(({ method, path, body }) => [method, path, body])
    expect(pings).toHaveLength(2)
    expect(pings).toEqual(
      expect.arrayContaining([
        ['POST', `/5e6a7f3c-uuid/fail?rid=${ids[1]}`, broken.split('\n')[0]],
        ['POST', `/5e6a7f3c-uuid?rid=${ids[0]}`, ''],
      ]),
    )
  })

  test('a test goes to /log, which changes nothing there', async () => {
    const checks = await openTextReceiver(answers(200), '/uuid?create=1')
    const node = await nodeFor([checks])
    await told(node, { url: checks.url, format: 'ping' })
    expect(await node.evertick.webhooks.test('ops')).toMatchObject({ ok: true, status: 200 })
    expect(checks.received).toMatchObject([{ path: '/uuid/log?create=1', body: 'A test of Evertick.' }])
  })
})

describe('what a format has no use for is refused', () => {
  const url = 'https://example.com/hook'
  const all = ['*']
  test.each([
    [{ url }, 'events'],
    [{ url, format: 'slack', events: all, include: ['result'] }, 'include'],
    [{ url, format: 'slack', events: all, body: '{}' }, 'body'],
    [{ url, format: 'template', events: all }, 'body'],
    [{ url, format: 'ping', events: all }, 'events'],
    [{ url, format: 'ping', link: 'https://e.example.com' }, 'link'],
    [{ url, format: 'mail', events: all }, 'url'],
    [{ url: 'mailto:ann@example.com', format: 'slack', events: all }, 'url'],
    [{ url: 'mailto:ann@example.com', events: all, headers: { a: 'b' } }, 'headers'],
    [{ url: 'mailto:ann', events: all }, 'url'],
    [{ url: 'mailto:ann@example.com?bcc=eve@example.com', events: all }, 'url'],
    [{ url: 'mailto:ann@example.com\r\nbcc: eve@example.com', events: all }, 'url'],
    [{ url, format: 'slak', events: all }, 'format'],
  ] as const)('%j', async (given, field) => {
    const node = await nodeFor([])
    const webhook = { name: 'ops', ...given } as unknown as CreateWebhook
    await expect(node.evertick.webhooks.create(webhook)).rejects.toMatchObject({
      field,
    })
  })
})
