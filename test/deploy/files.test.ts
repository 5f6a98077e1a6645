/** What deploy/ says of a node, compared with the node: names of variables, paths, ports, commands, and how long a stop takes. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { root } from '../../scripts/run-command.ts'
import { defaultStopMs } from '../../src/app/cluster/live-node.ts'
import { stopOverrunMs } from '../../src/app/cluster/stop-deadline.ts'
import { exitCodes, signalExitCodes } from '../../src/cli/exit-code.ts'
import { roles } from '../../src/engine/node.ts'
import { allRoutes } from '../../src/http/all-routes.ts'
import { inProcess } from '../cli/in-process.ts'
import { testFolder } from '../cli/run-cli.ts'

interface Service {
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly build?: string
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets?: Readonly<Record<string, object>>
}

interface Probe {
  readonly httpGet: {
    readonly path: string
    readonly httpHeaders: readonly { name: string; value: string }[]
  }
}

interface Container {
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly stringData?: object
  readonly spec: {
    readonly selector?: Readonly<Record<string, unknown>>
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly containers: readonly Container[]
        readonly terminationGracePeriodSeconds?: number
        readonly securityContext: object
        readonly volumes: readonly {
          readonly secret?: {
            readonly secretName: string
            readonly items: readonly { key: string; path: string }[]
          }
        }[]
      }
    }
  }
}

const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const dockerfile = read('docker/Dockerfile')
const unit = read('systemd/evertick.service')
const composeFiles = globSync('deploy/compose/*.yaml', { cwd: root }).map((path) => basename(path))
const manifests = globSync('deploy/kubernetes/*.yaml', { cwd: root })
  .flatMap((path) => parseAllDocuments(readFileSync(join(root, path), 'utf8')))
  .map((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.join('\n'))
    return document.toJS() as Manifest
  })
const stopMs = defaultStopMs + stopOverrunMs
const port = Number(/EVERTICK_PORT=(\d+)/.exec(dockerfile)?.[1])
const open = allRoutes.filter(({ role }) => role === 'public').map(({ fullPath }) => fullPath)

const secretKeys = Object.keys(manifests.find(({ kind }) => kind === 'Secret')?.stringData ?? {})

/** Null where there is such a command with these options and roles. */
async function problemWith(args: readonly string[]): Promise<string | null> {
  const { stdout } = await inProcess([...args, '--help'], { cwd: testFolder() })
  const first = args.findIndex((arg) => arg.startsWith('--'))
  const words = args.slice(0, first < 0 ? args.length : first)
  if (!stdout.includes(`Usage: evertick ${words.join(' ')} [options]\n`))
    return `no command ${words.join(' ')}`
  const rest = args.slice(words.length)
  const unknown = rest.filter((arg) =>
    arg.startsWith('--') ? !stdout.includes(`${arg} <`) : !roles.some((role) => role === arg),
  )
  return unknown.length === 0 ? null : `unknown: ${unknown.join(' ')}`
}

test('a command that is none would be found', async () => {
  expect(await problemWith(['strat'])).toBe('no command strat')
  expect(await problemWith(['start', '--role', 'wroker', '--rle'])).toBe('unknown: wroker --rle')
})

test('every variable that a file names is read by the product', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  const known = sources.flatMap((text) => [
    ...(text.match(/EVERTICK_[A-Z_]+/g) ?? []),
    ...[...text.matchAll(/[sS]ecret(?:From)?\([^)]*'(EVERTICK_\w+)'/g)].map(([, name]) => `${name}_FILE`),
  ])
  const files = globSync(['deploy/{docker,compose,systemd,kubernetes}/*'], { cwd: root })
  const named = files.flatMap(
    (path) => readFileSync(join(root, path), 'utf8').match(/EVERTICK_[A-Z_]+/g) ?? [],
  )
  expect(new Set(named).size).toBeGreaterThan(6)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

describe('the image', () => {
  test('is no root, has one port, and keeps its data where a volume is', () => {
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
    expect(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]).toBe(String(port))
    expect(dockerfile).toContain(`EVERTICK_DATA_DIR=${/^VOLUME (\S+)$/m.exec(dockerfile)?.[1]}\n`)
  })

  test('begins the node without a shell, and asks a path that is there', async () => {
    const entry = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)?.[1] ?? '') as string[]
    const command = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '') as string[]
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: object }
    expect(entry).toEqual(Object.keys(bin))
    expect(await problemWith(command)).toBeNull()
    const asked = /EVERTICK_BASE_PATH \?\? ''\}(\/\w+)`/.exec(dockerfile)?.[1]
    expect(open).toContain(asked)
  })
})

describe.each(composeFiles)('compose/%s', (file) => {
  const { services, secrets = {} } = parse(read(`compose/${file}`), { merge: true }) as Compose
  const nodes = Object.entries(services).filter(([, { build }]) => build !== undefined)

  test('gives every node longer than its stop takes', () => {
    expect(nodes.length).toBeGreaterThan(0)
    for (const [, { stop_grace_period: grace = '' }] of nodes)
      expect(Number(/^(\d+)s$/.exec(grace)?.[1]) * 1_000).toBeGreaterThan(stopMs)
  })

  test('runs commands that there are', async () => {
    const commands = nodes.flatMap(([, { command }]) => (command === undefined ? [] : [command]))
    expect(await Promise.all(commands.map(problemWith))).toEqual(commands.map(() => null))
  })

  test('names secrets that it has, and no password', () => {
    for (const service of Object.values(services)) {
      const mounted = (service.secrets ?? []).map((name) => `/run/secrets/${name}`)
      expect((service.secrets ?? []).filter((name) => !(name in secrets))).toEqual([])
      const variables = Object.entries(service.environment ?? {})
      const files = variables.filter(([name]) => name.endsWith('_FILE')).map(([, value]) => value)
      expect(mounted).toEqual(expect.arrayContaining(files))
      const plain = variables.filter(([name]) => !name.endsWith('_FILE')).map((pair) => pair.join('='))
      expect(plain.filter((text) => /PASSWORD=(?!1$)|SECRET=|:[^/]*@/.test(text))).toEqual([])
    }
  })

  test('waits for what can say that it is well, and for the migration to have ended', () => {
    const needs = Object.values(services).flatMap(({ depends_on: needed = {} }) =>
      Object.entries(needed).map(([name, { condition }]) => ({ name, condition })),
    )
    const unsound = needs.filter(({ name, condition }) =>
      condition === 'service_healthy'
        ? services[name]?.healthcheck?.test === undefined
        : name !== 'migrate' || condition !== 'service_completed_successfully',
    )
    expect(unsound).toEqual([])
  })
})

describe('the manifests', () => {
  const pods = manifests.flatMap(({ kind, metadata, spec }) =>
    spec?.template === undefined ? [] : [{ kind, name: metadata.name, ...spec.template }],
  )
  const containers = pods.flatMap(({ spec }) => spec.containers)

  test('run commands that there are', async () => {
    expect(containers).toHaveLength(3)
    for (const { args } of containers) expect(await problemWith(args)).toBeNull()
  })

  test('probe what answers without a token, by a name that the node always answers to', () => {
    for (const { ports, startupProbe, livenessProbe, readinessProbe } of containers) {
      if (ports === undefined) continue
      expect(ports).toEqual([{ name: 'http', containerPort: port }])
      expect(livenessProbe?.httpGet.path).toBe('/livez')
      expect(readinessProbe?.httpGet.path).toBe('/readyz')
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        expect(open).toContain(probe?.httpGet.path)
        expect(probe?.httpGet.httpHeaders).toEqual([{ name: 'Host', value: 'localhost' }])
      }
    }
  })

  test('give a pod longer than its preStop and its stop take', () => {
    for (const { kind, spec } of pods) {
      if (kind === 'Job') continue
      const before = spec.containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0
      expect(before).toBeGreaterThan(0)
      expect((spec.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThan(before * 1_000 + stopMs)
    }
  })

  test('let a pod do nothing that it does not need', () => {
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: Number(/^USER (\d+)/m.exec(dockerfile)?.[1]),
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { securityContext } of spec.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
  })

  test('take every secret from a key that the sample has, where the variable says', () => {
    for (const { spec } of pods) {
      const items = spec.volumes.flatMap(({ secret }) => secret?.items ?? [])
      expect(items.filter(({ key }) => !secretKeys.includes(key))).toEqual([])
      for (const { env, volumeMounts } of spec.containers) {
        const at = volumeMounts.find(({ name }) => name === 'secret')?.mountPath
        const files = env.filter(({ name }) => name.endsWith('_FILE')).map(({ value }) => value)
        expect(files.toSorted()).toEqual(items.map(({ path }) => `${at}/${path}`).toSorted())
      }
    }
  })

  test('name the pods that they mean, each Deployment with a budget of its own', () => {
    const labelled = pods.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.labels)
    for (const { kind, spec } of manifests) {
      if (spec?.selector === undefined) continue
      const selector = kind === 'Service' ? spec.selector : spec.selector['matchLabels']
      expect(labelled).toContainEqual(selector)
    }
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(budgets.map(({ spec }) => spec.selector?.['matchLabels'])).toEqual(labelled)
  })
})

describe('the unit', () => {
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
  const codes = (name: string) => setting(name).split(' ').map(Number)
  const ascending = (a: number, b: number) => a - b

  test('waits longer than a stop takes, and counts a graceful stop as a success', () => {
    expect(Number(setting('TimeoutStopSec')) * 1_000).toBeGreaterThan(stopMs)
    expect(codes('SuccessExitStatus')).toEqual(Object.values(signalExitCodes).toSorted(ascending))
  })

  test('does not start again what another start does not heal', () => {
    const { usage, not_found, conflict, auth } = exitCodes
    expect(codes('RestartPreventExitStatus')).toEqual([usage, not_found, conflict, auth])
  })

  test('has its data where the sample of its settings puts the database', () => {
    expect(read('systemd/evertick.env')).toContain(
      `'sqlite:/var/lib/${setting('StateDirectory')}/evertick.db'`,
    )
  })
})

test('the package brings all of it', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toContain('deploy')
})
