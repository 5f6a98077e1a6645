/** Who knows one engine's folder knows all: the same files, with the same exports in the same order. */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'

const engines = ['sqlite', 'postgres', 'mysql'] as const
type EngineName = (typeof engines)[number]

const files = [
  'open',
  'place',
  'connection',
  'session',
  'dialect',
  'driver',
  'foreign',
  'lifeline',
  'migrator',
  'hot',
  'enqueue',
  'claim',
  'lease',
  'finish',
]

/** What only a server has: a package to load and a pool. SQLite has a driver of its own instead of an engine. */
const ofServers = {
  connection: ['EnginePackage', 'loadEngine', 'connectionsTo'],
  driver: ['engineEngine'],
}

/** What is an engine's own: whole files, whose first line says so, and names in the files that all have. */
const own: Readonly<Record<EngineName, { label: string; files: string[]; names: Record<string, string[]> }>> =
  {
    sqlite: {
      label: 'SQLite',
      files: ['opened-files', 'patience', 'transaction', 'wal-sync', 'writer'],
      names: {
        connection: ['connectionTo', 'readOnlyConnectionTo', 'lockedFile'],
        dialect: ['rewrite', 'bound', 'insertText', 'bindRow'],
      },
    },
    postgres: {
      label: 'PostgreSQL',
      files: ['batch', 'hints', 'plans'],
      names: {
        ...ofServers,
        connection: [...ofServers.connection, 'EngineServer', 'isPooled', 'openListener'],
        session: ['StatementNames'],
      },
    },
    mysql: {
      label: 'MySQL',
      files: ['batch', 'held-rows', 'server-facts'],
      names: {
        ...ofServers,
        connection: [...ofServers.connection, 'ServerFacts', 'serverFacts'],
        dialect: ['endsTransaction'],
      },
    },
  }

function textOf(engine: EngineName, file: string): string {
  return readFileSync(`src/store/${engine}/${file}.ts`, 'utf8')
}

/** In their order, with the engine's name taken out of them. */
function exportsOf(engine: EngineName, file: string): string[] {
  const exported = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm
  return [...textOf(engine, file).matchAll(exported)].map(([, name = '']) =>
    name.replace(/Sqlite|Postgres|Mysql/, 'Engine').replace(/sqlite|postgres|mysql/, 'engine'),
  )
}

function commonOf(engine: EngineName, file: string): string[] {
  return exportsOf(engine, file).filter((name) => !own[engine].names[file]?.includes(name))
}

test.each(engines)('%s has the files of its siblings, and its own', (engine) => {
  const found = globSync(`src/store/${engine}/*.ts`).map((path) => basename(path, '.ts'))
  expect(found.toSorted()).toEqual([...files, ...own[engine].files].toSorted())
})

test.each(files)('%s.ts exports the same names in the same order on every engine', (file) => {
  const [first, ...others] = engines.map((engine) => commonOf(engine, file))
  expect(first).not.toEqual([])
  for (const other of others) expect(other).toEqual(first)
})

test.each(engines)('what is only in %s is there, and its files say so in their first sentence', (engine) => {
  const { label, names } = own[engine]
  for (const [file, listed] of Object.entries(names))
    expect(exportsOf(engine, file)).toEqual(expect.arrayContaining(listed))
  for (const file of own[engine].files) {
    expect(textOf(engine, file).replaceAll(/^[/* \n]+/g, '')).toMatch(new RegExp(`^${label}'s own: `))
  }
})
