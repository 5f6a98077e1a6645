/** Webhooks by mail, against a real SMTP server: what is in a mail, who gets it, and what a bad server does. */

import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { MailServer } from '../../src/outbound/mail.ts'
import { ManualClock, openTestNode, type TestNode } from '../../src/testing/index.ts'
import { until } from '../process/until.ts'
import { quiet } from '../promises/support.ts'
import { headerOf, openMailServer } from './mail-server.ts'

const nasty = 'Größe "<b>" & \r\nBcc: eve@example.com'
const jobs = [
  defineJob({
    name: 'report',
    retry: { attempts: 1 },
    run: () => {
      throw new Error(nasty)
    },
  }),
]

async function nodeFor(
  smtp: string | undefined,
  to = 'mailto:ann@example.com,ben@example.com',
): Promise<TestNode> {
  const node = await openTestNode({ jobs, logger: quiet, ...(smtp === undefined ? {} : { smtp }) })
  onTestFinished(() => node.stop())
  const link = 'https://evertick.example.com'
  await node.evertick.webhooks.create({ name: 'ops', url: to, events: ['execution.failed'], link })
  await node.settle()
  return node
}

test('a mail has the sentence as its subject, text and a page, and an id that every try shares', async () => {
  let refusals = 1
  const server = await openMailServer({
    onMailFrom: (_address, _session, done) => {
      if (refusals === 0) return done()
      refusals -= 1
      done(Object.assign(new Error('not now'), { responseCode: 451 }))
    },
  })
  const node = await nodeFor(server.url)
  const { id } = await node.evertick.enqueue('report')
  await node.settle()
  expect(await node.evertick.webhooks.deliveries('ops')).toMatchObject({
    deliveries: [{ state: 'retrying', error: expect.stringContaining('451') as string }],
  })
  await node.advance('1m')
  const { deliveries } = await node.evertick.webhooks.deliveries('ops')
  expect(deliveries).toMatchObject([{ state: 'completed', attempt: 2, status: 250 }])
  expect(server.mails).toHaveLength(1)
  const [{ to, source } = { to: [], source: '' }] = server.mails
  expect(to).toEqual(['ann@example.com', 'ben@example.com'])
  expect(headerOf(source, 'message-id')).toBe(`<${deliveries[0]?.messageId}@example.com>`)
  expect(headerOf(source, 'from')).toBe('Evertick <evertick@example.com>')
  expect(headerOf(source, 'auto-submitted')).toBe('auto-generated')
  // A name with a line end makes no header of its own.
  expect(source).not.toMatch(/^bcc:/im)
  expect(headerOf(source, 'subject')).toMatch(/^=\?UTF-8\?/)
  expect(source).toContain('Content-Type: text/plain')
  expect(source).toContain('Content-Type: text/html')
  const page = source.replaceAll('=\r\n', '')
  expect(page).toContain(`https://evertick.example.com/executions/${id}`)
  expect(page).toContain('&#60;b&#62;')

  await node.evertick.webhooks.resend('ops', { delivery: deliveries[0]?.id ?? '' })
  await node.settle()
  expect(headerOf(server.mails[1]?.source ?? '', 'message-id')).toBe(headerOf(source, 'message-id'))
})

test('a node that dies while its mail is on the way: the next one sends it under the same id', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-mail-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const taken: string[] = []
  const silent = await openMailServer({
    // It has the mail, and never says so.
    onData: (stream) => void text(stream).then((source) => taken.push(source)),
  })
  const server = await openMailServer()
  const shared = {
    jobs,
    logger: quiet,
    database: `sqlite:${join(folder, 'mail.db')}`,
    clock: new ManualClock(0),
  }
  const first = await openTestNode({ ...shared, smtp: silent.url })
  await first.evertick.webhooks.create({
    name: 'ops',
    url: 'mailto:ann@example.com',
    events: ['execution.failed'],
  })
  await first.settle()
  await first.evertick.enqueue('report')
  await until('the mail to be on its way', async () => taken.length === 1)
  await first.evertick.stop({ timeout: 0 })
  const second = await openTestNode({ ...shared, smtp: server.url })
  onTestFinished(() => second.stop())
  for (let minute = 0; minute < 5; minute += 1) await second.advance('1m')
  expect(server.mails).toHaveLength(1)
  expect(headerOf(server.mails[0]?.source ?? '', 'message-id')).toMatch(/^<msg_.*@example\.com>$/)
  expect(headerOf(server.mails[0]?.source ?? '', 'message-id')).toBe(headerOf(taken[0] ?? '', 'message-id'))
})

test('whom the server does not take is named, and nobody else hears twice', async () => {
  const server = await openMailServer({
    onRcptTo: ({ address }, _session, done) => {
      done(address.startsWith('ben') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null)
    },
  })
  const node = await nodeFor(server.url)
  await node.evertick.enqueue('report')
  await node.advance('1d')
  expect(server.mails.map(({ to }) => to)).toEqual([['ann@example.com']])
  const { deliveries } = await node.evertick.webhooks.deliveries('ops')
  expect(deliveries).toMatchObject([
    { state: 'failed', attempt: 1, error: 'The mail was accepted, but not for ben@example.com.' },
  ])
})

test('without a server a mail fails with what to set, and is sent once there is one', async () => {
  const node = await nodeFor(undefined)
  await node.evertick.enqueue('report')
  await node.settle()
  const { deliveries } = await node.evertick.webhooks.deliveries('ops')
  expect(deliveries).toMatchObject([
    { state: 'retrying', error: 'This node has no SMTP server, so it sends no mail.' },
  ])
})

test('its password is in no error, and goes nowhere without encryption but to this host', async () => {
  const server = await openMailServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, done) => {
      if (password === 'canary') done(null, { user: username ?? '' })
      else done(Object.assign(new Error(`wrong ${password}`), { responseCode: 535 }))
    },
  })
  const to = ['ann@example.com']
  const mail = { messageId: 'm', to, subject: 's', text: 't', html: '<p>t</p>' }
  const times = { timeoutMs: 5_000, signal: new AbortController().signal }
  const at = (password: string, host = '127.0.0.1') =>
    new MailServer(`smtp://me%40example.com:${password}@${host}:${server.port}`)
  expect(await at('canary').send(mail, times)).toEqual({ status: 250, refused: [] })
  expect(headerOf(server.mails[0]?.source ?? '', 'from')).toBe('Evertick <me@example.com>')
  const refused = await at('wrong-canary')
    .send(mail, times)
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 'outbound_failed',
    message: expect.stringContaining('535') as string,
  })
  expect(JSON.stringify([refused, at('canary')])).not.toContain('canary')
  // The same host by a name that does not say so: no STARTTLS, no password.
  const unencrypted = at('canary', 'localhost.localdomain').send(mail, times)
  await expect(unencrypted).rejects.toMatchObject({ code: 'outbound_failed' })
  expect(server.mails).toHaveLength(1)
})

test('a server that hangs is given up in time', async () => {
  const sockets: { destroy(): void }[] = []
  const silent = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const server = new MailServer(`smtp://127.0.0.1:${port}?from=me@example.com`)
  const mail = { messageId: 'm', to: ['ann@example.com'], subject: 's', text: 't', html: '' }
  const stop = new AbortController()
  const sent = server.send(mail, { timeoutMs: 15_000, signal: stop.signal })
  stop.abort()
  await expect(sent).rejects.toMatchObject({ code: 'outbound_failed' })
  const quick = server.send(mail, { timeoutMs: 50, signal: new AbortController().signal })
  await expect(quick).rejects.toMatchObject({ code: 'outbound_failed' })
})

test.each([
  'smtp.example.com',
  'https://smtp.example.com?from=a@example.com',
  'smtp://smtp.example.com',
  'smtp://smtp.example.com?from=nobody',
  'smtp://smtp.example.com?from=a@example.com&tls=no',
])('%s is refused when the node opens, in words that do not repeat it', async (smtp) => {
  const refused = await openTestNode({ smtp }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'invalid_config', field: 'smtp' })
})
