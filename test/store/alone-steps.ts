/** What `alone` promises of a step: the same on every engine, below the port. */
import { describe, expect, test } from 'vitest'
import type { SqlDriver } from '../../src/store/sql/runtime/driver.ts'
import { text } from '../../src/store/sql/runtime/rows.ts'
import { look, rows, run, runAlone, type Script } from '../../src/store/sql/runtime/script.ts'

export interface DriverUnderTest {
  readonly driver: SqlDriver
  readonly close: () => Promise<void>
}

const insertText = 'INSERT INTO @queues (name, paused_at) VALUES (?, 1)'

function* namesWritten(): Script<string[]> {
  return (yield* rows('SELECT name FROM @queues ORDER BY name')).map(({ name }) => text(name))
}

function* aloneThenThrow(): Script<void> {
  yield* runAlone(insertText, 'alone')
  throw new Error('later')
}

const scripts: Readonly<
  Record<string, { readonly script: () => Script<unknown>; readonly stays: string[] }>
> = {
  'stays, whatever the script throws later': { script: aloneThenThrow, stays: ['alone'] },
  'stays where the transaction that begins after it is rolled back': {
    *script() {
      yield* runAlone(insertText, 'alone')
      yield* run(insertText, 'in a transaction')
      throw new Error('later')
    },
    stays: ['alone'],
  },
  'stays after another that stays': {
    *script() {
      yield* runAlone(insertText, 'alone')
      yield* runAlone(insertText, 'also alone')
      throw new Error('later')
    },
    stays: ['alone', 'also alone'],
  },
  'stays after a look, which begins no transaction': {
    *script() {
      yield* look('SELECT name FROM @queues')
      yield* runAlone(insertText, 'alone')
      throw new Error('later')
    },
    stays: ['alone'],
  },
  'is part of the transaction that began before it': {
    *script() {
      yield* run(insertText, 'in a transaction')
      yield* runAlone(insertText, 'also in it')
      throw new Error('later')
    },
    stays: [],
  },
}

export function describeAloneSteps(
  name: string,
  open: () => Promise<DriverUnderTest>,
  { skip = false } = {},
): void {
  const withDriver = (use: (driver: SqlDriver) => Promise<void>) => async () => {
    const { driver, close } = await open()
    try {
      await use(driver)
    } finally {
      await close()
    }
  }

  describe.skipIf(skip)(`a step that stands alone: ${name}`, () => {
    test.each(Object.entries(scripts))('%s', async (_, { script, stays }) => {
      await withDriver(async (driver) => {
        await expect(driver.write(script)).rejects.toThrow('later')
        expect(await driver.read(namesWritten)).toEqual(stays)
      })()
    })

    test(
      'stays beside the writes of others in the same turn, and undoes none of them',
      withDriver(async (driver) => {
        const failing = driver.write(aloneThenThrow)
        const others = ['first', 'last'].map((other) => driver.write(() => run(insertText, other)))
        await expect(failing).rejects.toThrow('later')
        await Promise.all(others)
        expect(await driver.read(namesWritten)).toEqual(['alone', 'first', 'last'])
      }),
    )

    test(
      'is committed where the script goes on to its end',
      withDriver(async (driver) => {
        await driver.write(function* () {
          yield* runAlone(insertText, 'alone')
          yield* run(insertText, 'in a transaction')
        })
        expect(await driver.read(namesWritten)).toEqual(['alone', 'in a transaction'])
      }),
    )

    test(
      "is part of a handler's transaction",
      withDriver(async (driver) => {
        const failing = driver.exclusive({
          maxMs: 2_000,
          sleep: () => new Promise(() => {}),
          *first() {
            yield* runAlone(insertText, 'first')
          },
          async run() {
            throw new Error('the handler')
          },
          *last() {},
        })
        await expect(failing).rejects.toThrow('the handler')
        expect(await driver.read(namesWritten)).toEqual([])
      }),
    )
  })
}
