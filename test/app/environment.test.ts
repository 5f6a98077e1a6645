import { expect, test } from 'vitest'
import { databaseFromEnvironment } from '../../src/app/environment.ts'

test('EVERTICK_DATABASE_URL goes before DATABASE_URL', () => {
  const environment = { EVERTICK_DATABASE_URL: 'sqlite:own.db', DATABASE_URL: 'sqlite:other.db' }
  expect(databaseFromEnvironment(environment)).toBe('sqlite:own.db')
  expect(databaseFromEnvironment({ DATABASE_URL: 'sqlite:other.db' })).toBe('sqlite:other.db')
})

test('no database anywhere is an error that says what to do', () => {
  expect(() => databaseFromEnvironment({ DATABASE_URL: '' })).toThrow(
    expect.objectContaining({ code: 'invalid_config', field: 'database' }),
  )
})
