import { expect, it } from 'vitest'
import { loadDriver } from '../../src/store/load-driver.ts'

it('says what to install where a driver is missing', async () => {
  const missing: string = 'no-such-driver'
  await expect(loadDriver('redis', () => import(missing))).rejects.toMatchObject({
    code: 'driver_missing',
    kind: 'unavailable',
    next: 'Run `npm install redis`.',
  })
})

it('passes on what a driver says that is there but broken', async () => {
  const broken = new Error('broken')
  await expect(loadDriver('redis', () => Promise.reject(broken))).rejects.toBe(broken)
})
