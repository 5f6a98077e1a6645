/** Text is text: what strangers may write somewhere runs nowhere, calls nobody and breaks no page. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/index.ts'
import { accessOf } from '../../src/http/mounts/server.ts'
import { defineJob } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { allAttacks, attacks, longText } from './attacks.ts'
import { type LiveNode, openLiveNode, secrets } from './live-node.ts'
import { desk, openPage, phone, settled } from './open-page.ts'

const by = { actor: '<script>window.owned=1</script>' }
/** The target of everything at once; the others have one attack each. */
const target = 'javascript:window.owned'

const ended = Promise.withResolvers<void>()
const attacked = defineJob({
  name: 'attacked',
  retry: { attempts: 1 },
  run: async (ctx) => {
    const { ends } = (ctx.input ?? {}) as { ends?: string }
    for (const text of [...attacks, longText]) ctx.log.warn(text, { [text.slice(0, 50)]: text })
    await ctx.progress(0.5, allAttacks.slice(0, 200))
    if (ends === 'late') await ended.promise
    if (ends === 'failed') throw Object.assign(new Error(allAttacks), { stack: attacks.join('\n    at ') })
    return { texts: attacks, longText, ...Object.fromEntries(attacks.map((text) => [text, text])) }
  },
})

let node: LiveNode
let client: Client
const executions: Record<string, string> = {}

beforeAll(async () => {
  const queueNames = attacks.map((text) => text.slice(0, 200))
  node = await openLiveNode({
    jobs: [attacked],
    nodeId: '<img src=x onerror=window.owned=1>',
    queues: {
      default: { concurrency: 10 },
      ...Object.fromEntries(queueNames.map((name) => [name, { concurrency: 1 }])),
    },
  })
  const { jobs, queues } = node.evertick
  const schedule = { cron: '0 3 * * *' }
  for (const [index, text] of attacks.entries()) {
    const name = `attack ${index}`
    await jobs.create(
      {
        name,
        handler: 'attacked',
        schedule,
        description: text,
        tags: [text.slice(0, 100)],
        queue: text.slice(0, 200),
      },
      by,
    )
    if (index % 2 === 0) await jobs.pause(name, { reason: text, ...by })
    else await jobs.trigger(name, { input: { text }, ...by })
  }
  await jobs.create(
    { name: 'W'.repeat(200), handler: 'attacked', schedule, description: longText.slice(0, 2_000) },
    by,
  )
  await jobs.create(
    {
      name: target,
      handler: 'attacked',
      schedule: { every: '1h', anchor: 'epoch' },
      description: allAttacks,
      tags: attacks.map((text) => text.slice(0, 100)),
      metadata: Object.fromEntries(attacks.map((text) => [text, text])),
    },
    by,
  )
  await jobs.update(target, { description: `${allAttacks.slice(0, 1_900)}, again` }, by)
  for (const ends of ['completed', 'failed', 'late']) {
    const input = { ends, texts: attacks, longText }
    const { id } = await jobs.trigger(target, { input, metadata: { text: allAttacks }, force: true, ...by })
    executions[ends] = id
  }
  await queues.pause(attacks[0] ?? '', { reason: allAttacks, ...by })
  await jobs.pause(target, { reason: allAttacks, ...by })
  await accessOf(node.evertick, { secrets }).createToken({ name: attacks[3] ?? '', role: 'viewer' })
  client = createClient({ url: node.url, token: await node.token('admin') })
  for (const [ends, state] of Object.entries({ completed: 'completed', failed: 'failed', late: 'running' })) {
    const id = executions[ends] ?? ''
    await until(`${ends} to be ${state}`, async () => (await client.executions.get(id)).state === state)
  }
})

afterAll(async () => {
  ended.resolve()
  await node.stop()
})

const made =
  'img, iframe, object, embed, math, body link, body style, body base, body meta, body script, form[action], a[href^="javascript:" i], a[href^="data:" i]'

/** What a text has done to the page that shows it. */
async function harmIn(page: Page): Promise<string[]> {
  return await page.evaluate((elements) => {
    const { scrollWidth, clientWidth } = document.documentElement
    return [
      'owned' in window ? 'a script has run' : '',
      ...[...document.querySelectorAll(elements)].map(({ outerHTML }) => `made ${outerHTML.slice(0, 100)}`),
      scrollWidth > clientWidth ? `the page is ${scrollWidth - clientWidth} px too wide` : '',
    ].filter((fault) => fault !== '')
  }, made)
}

async function pathsOf(): Promise<string[]> {
  const { id } = await client.jobs.get(target)
  const tabs = ['', '/executions', '/schedule', '/settings', '/revisions', '/audit', '/edit']
  return [
    '/',
    '/jobs',
    '/jobs?filter=attack',
    ...tabs.map((tab) => `/jobs/${id}${tab}`),
    `/jobs/new?from=${id}`,
    '/executions',
    ...Object.values(executions).map((execution) => `/executions/${execution}`),
    '/timeline',
    '/calendar',
    '/cluster',
    '/audit',
    '/audit/log',
    '/settings',
  ]
}

test('no screen runs, follows or breaks under what others wrote, at a desk and on a phone', async () => {
  const { page, problems } = await openPage(node.url, { token: await node.token('admin') })
  const harm: Record<string, readonly string[]> = {}
  for (const path of await pathsOf()) {
    await page.goto(path)
    for (const size of [desk, phone]) {
      await page.setViewportSize(size)
      await settled(page)
      const found = await harmIn(page)
      if (found.length > 0) harm[`${path} at ${size.width} px`] = found
    }
  }
  expect(harm).toEqual({})
  expect(problems).toEqual([])
})

test('it stands there as it was written', async () => {
  const { page } = await openPage(node.url, { token: await node.token('admin') })
  await page.goto(`/executions/${executions.failed}`)
  await settled(page)
  const shown = await page.locator('main').innerText()
  expect(attacks.slice(0, 30).filter((text) => !shown.includes(text))).toEqual([])
})

test('what opens over a page is as safe', async () => {
  const { page, problems } = await openPage(node.url, { token: await node.token('admin') })
  await page.goto('/jobs')
  await settled(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find' }).fill('attack')
  await page.getByRole('option', { name: /attack 0/ }).waitFor()
  expect(await harmIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.goto(`/jobs?filter=${encodeURIComponent(attacks[0] ?? '')}`)
  await settled(page)
  expect(await harmIn(page)).toEqual([])
  await page.goto(`/${encodeURIComponent(attacks[5] ?? '')}`)
  await settled(page)
  expect(await harmIn(page)).toEqual([])
  expect(problems).toEqual([])
})
