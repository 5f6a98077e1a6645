/** A job sets only those variables of a command that the node names; no list of what is dangerous is ever whole. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openTestNode } from '../../src/testing/index.ts'
import { openApi } from '../http/api-under-test.ts'
import { nodeAllowing, ranCommand, shellProgram, testFolder } from './command-node.ts'
import { hostileVariables, oddVariables } from './injection-corpus.ts'

const command = { type: 'command', command: '/bin/true' } as const

test('without a list no job may set any variable, and is told what to set', async () => {
  const node = await nodeAllowing([])
  const { jobs } = node.evertick
  await jobs.create({ name: 'there', handler: command })
  for (const name of [...oddVariables, ...hostileVariables, 'GREETING']) {
    const handler = { ...command, env: { [name]: 'x' } }
    const refused = { code: 'invalid_definition' }
    await expect(jobs.create({ name: 'new', handler })).rejects.toMatchObject(refused)
    await expect(jobs.update('there', { handler })).rejects.toMatchObject(refused)
  }
  const handler = { ...command, env: { GREETING: 'hi' } }
  await expect(jobs.create({ name: 'new', handler })).rejects.toMatchObject({
    message: 'This node does not let a job set GREETING.',
    field: 'handler.env.GREETING',
    next: expect.stringContaining('EVERTICK_ALLOW_COMMAND_ENV') as string,
  })
})

test('what EVERTICK_ALLOW_COMMAND_ENV names may be set, letter for letter, and nothing else', async () => {
  vi.stubEnv('EVERTICK_ALLOW_COMMAND_ENV', 'GREETING, HTTPS_PROXY')
  const program = shellProgram('echo "$GREETING $HTTPS_PROXY"')
  const node = await nodeAllowing([program])
  vi.unstubAllEnvs()
  const env = { GREETING: 'hi', HTTPS_PROXY: 'none' }
  expect((await ranCommand(node, { command: program, env })).result).toMatchObject({ output: 'hi none' })
  for (const name of ['greeting', 'GREETING_', 'HTTP_PROXY']) {
    const handler = { ...command, env: { [name]: 'x' } }
    await expect(node.evertick.jobs.create({ name, handler })).rejects.toMatchObject({
      field: `handler.env.${name}`,
    })
  }
})

test.each(hostileVariables)('a node does not start with %j in its list', async (name) => {
  await expect(openTestNode({ allowCommandEnv: ['GREETING', name] })).rejects.toMatchObject({
    code: 'invalid_config',
    field: 'allowCommandEnv',
    next: expect.stringContaining('EVERTICK_ALLOW_COMMAND_ENV') as string,
  })
})

test('a worker whose list lacks a variable does not run the job that sets it', async () => {
  const database = `sqlite:${join(testFolder(), 'evertick.db')}`
  const program = shellProgram('echo ran')
  const wide = await openTestNode({ database, allowCommandEnv: ['GREETING'] })
  const handler = { type: 'command', command: program, env: { GREETING: 'hi' } } as const
  await wide.evertick.jobs.create({ name: 'greet', handler, retry: { attempts: 1 } })
  await wide.stop()
  const node = await nodeAllowing([program], { database })
  const { id } = await node.evertick.jobs.trigger('greet')
  await node.settle()
  expect(await node.evertick.executions.get(id)).toMatchObject({
    state: 'failed',
    error: { code: 'execution_failed', message: 'This worker does not let a job set GREETING.' },
  })
})

test('over HTTP it is the same', async () => {
  const { call } = await openApi({ allowCommandEnv: ['GREETING'] })
  const made = (env: Record<string, string>) =>
    call('POST', '/api/v1/jobs', { name: 'job', handler: { ...command, env } })
  expect(await made({ TAR_OPTIONS: '--to-command=/bin/sh' })).toMatchObject({
    status: 400,
    json: { code: 'invalid_definition', field: 'handler.env.TAR_OPTIONS' },
  })
  expect((await made({ GREETING: 'hi' })).status).toBe(201)
})
