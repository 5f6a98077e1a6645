import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  databaseFromEnvironment,
  maxWorkersFromEnvironment,
  privateHostsFromEnvironment,
  processingDatabaseFromEnvironment,
  redisFromEnvironment,
  redisFromHostEnvironment,
} from '../../src/app/config/environment.ts'

test('EVERTICK_DATABASE_URL goes before DATABASE_URL', () => {
  const environment = { EVERTICK_DATABASE_URL: 'sqlite:own.db', DATABASE_URL: 'sqlite:other.db' }
  expect(databaseFromEnvironment(environment)).toBe('sqlite:own.db')
  expect(databaseFromEnvironment({ DATABASE_URL: 'sqlite:other.db' })).toBe('sqlite:other.db')
})

test('a URL holds a password, so a file may hold the URL, as containers mount secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'url')
  writeFileSync(file, 'postgres://app:secret@db/app\n')
  const named = { EVERTICK_DATABASE_URL_FILE: file, DATABASE_URL: 'sqlite:other.db' }
  expect(databaseFromEnvironment(named)).toBe('postgres://app:secret@db/app')
  expect(databaseFromEnvironment({ ...named, EVERTICK_DATABASE_URL: 'sqlite:own.db' })).toBe('sqlite:own.db')
  expect(redisFromEnvironment({ EVERTICK_REDIS_URL_FILE: file })).toBe('postgres://app:secret@db/app')
  const missing = { EVERTICK_DATABASE_URL_FILE: join(folder, 'none'), DATABASE_URL: 'sqlite:other.db' }
  expect(() => databaseFromEnvironment(missing)).toThrow(
    expect.objectContaining({ code: 'invalid_config', field: 'EVERTICK_DATABASE_URL_FILE' }),
  )
})

test('no database anywhere is an error that says what to do', () => {
  expect(() => databaseFromEnvironment({ DATABASE_URL: '' })).toThrow(
    expect.objectContaining({ code: 'invalid_config', field: 'database' }),
  )
})

test('REDIS_HOST and its kin make a URL, whatever the password holds', () => {
  expect(redisFromHostEnvironment({})).toBeUndefined()
  expect(redisFromHostEnvironment({ REDIS_HOST: '', REDIS_PORT: '6380' })).toBeUndefined()
  expect(redisFromHostEnvironment({ REDIS_HOST: 'cache' })).toBe('redis://cache:6379/0')
  const all = { REDIS_HOST: '::1', REDIS_PORT: '6380', REDIS_DB: '3', REDIS_PASSWORD: 'p@ss/w:o?r#d%20' }
  const url = new URL(redisFromHostEnvironment(all) ?? '')
  expect(url.href).toMatch(/^redis:\/\/:[^@]+@\[::1\]:6380\/3$/)
  expect(decodeURIComponent(url.password)).toBe('p@ss/w:o?r#d%20')
})

test.each([
  [{ REDIS_HOST: 'cache', REDIS_PORT: 'six' }, 'REDIS_PORT'],
  [{ REDIS_HOST: 'cache', REDIS_PORT: '70000' }, 'REDIS_PORT'],
  [{ REDIS_HOST: 'cache', REDIS_DB: '-1' }, 'REDIS_DB'],
])('%j is refused by the name of the variable', (environment, field) => {
  expect(() => redisFromHostEnvironment(environment)).toThrow(expect.objectContaining({ field }))
})

test('MAX_WORKERS is five unless it says otherwise, and a whole number', () => {
  expect(maxWorkersFromEnvironment({})).toBe(5)
  expect(maxWorkersFromEnvironment({ MAX_WORKERS: '' })).toBe(5)
  expect(maxWorkersFromEnvironment({ MAX_WORKERS: '12' })).toBe(12)
  for (const bad of ['0', '1.5', 'many', '-1', '1e3']) {
    expect(() => maxWorkersFromEnvironment({ MAX_WORKERS: bad })).toThrow(
      expect.objectContaining({ code: 'invalid_config', field: 'MAX_WORKERS' }),
    )
  }
})

test('EVERTICK_ALLOW_PRIVATE_HOSTS is a list', () => {
  expect(privateHostsFromEnvironment({})).toEqual([])
  expect(privateHostsFromEnvironment({ EVERTICK_ALLOW_PRIVATE_HOSTS: ' a, b:80  c,' })).toEqual([
    'a',
    'b:80',
    'c',
  ])
})

test('MYSQL_DB_* make a URL, whatever their parts hold', () => {
  const parts = { MYSQL_DB_HOST: 'db.internal', MYSQL_DB_PORT: '3307', MYSQL_DB_NAME: 'my app' }
  const all = { ...parts, MYSQL_DB_USER: 'bot@home', MYSQL_DB_PASSWORD: 'p@ss/w:o?r#d%20' }
  const url = new URL(processingDatabaseFromEnvironment(all))
  expect(url.href).toMatch(/^mysql:\/\/[^@]+@db\.internal:3307\/my%20app$/)
  expect(decodeURIComponent(url.username)).toBe('bot@home')
  expect(decodeURIComponent(url.password)).toBe('p@ss/w:o?r#d%20')
  expect(processingDatabaseFromEnvironment({ MYSQL_DB_NAME: 'app' })).toBe('mysql://root@localhost:3306/app')
  const six = { MYSQL_DB_HOST: '::1', MYSQL_DB_NAME: 'app' }
  expect(processingDatabaseFromEnvironment(six)).toBe('mysql://root@[::1]:3306/app')
})

test('without MYSQL_DB_* the usual URL holds, and half of them are an error', () => {
  expect(processingDatabaseFromEnvironment({ DATABASE_URL: 'sqlite:a.db' })).toBe('sqlite:a.db')
  const both = { MYSQL_DB_NAME: 'app', EVERTICK_DATABASE_URL: 'sqlite:a.db' }
  expect(processingDatabaseFromEnvironment(both)).toBe('mysql://root@localhost:3306/app')
  expect(() => processingDatabaseFromEnvironment({ MYSQL_DB_HOST: 'db', MYSQL_DB_NAME: '' })).toThrow(
    expect.objectContaining({ code: 'invalid_config', field: 'MYSQL_DB_NAME' }),
  )
  expect(() => processingDatabaseFromEnvironment({})).toThrow(expect.objectContaining({ field: 'database' }))
})
