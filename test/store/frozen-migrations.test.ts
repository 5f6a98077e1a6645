/**
 * A migration that has been released is never written again: databases out there have recorded its checksum, and would be
 * refused. A change of the schema is a new folder; then a line is added here, and none is changed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../../src/store/migrations/', import.meta.url)

const frozen: Readonly<Record<string, string>> = {
  '0001_init/mysql.down.sql': '441fda852f2dd1177fe070b9578c18ddd4c7f29b677cec12973357c4a8f2b925',
  '0001_init/mysql.up.sql': 'a0da4ab1cd4037c043124623b28dd00f35b542f594701c8192b018eb9c0e2059',
  '0001_init/postgres.down.sql': '3a73b3f92c86530bd951109dec764783dad1e6b0083a879dd1cf9924e77ee7fb',
  '0001_init/postgres.up.sql': '60132a4038a6edb63b3664f68b41e7e57b4bdca577009389b922eb89408f22aa',
  '0001_init/sqlite.down.sql': 'a0a947c24f71b992b6582df052539928956db78f6e4d226e4940e7d753ab7319',
  '0001_init/sqlite.up.sql': 'd4f50d638be13904e5bc555f477325edd146b4fd88353a34102175f77c5302e0',
  '0002_steps/mysql.down.sql': 'c101a95570570b17a0456f7e766d835bc4a3904f60a6ee80c4ce94011cf89f96',
  '0002_steps/mysql.up.sql': '613cc66a304c8aa9893190054110847aed3640c84a5a5c7fd0bef5b7631a1fd0',
  '0002_steps/postgres.down.sql': '430bb87099f56fc8dd74d02c0eb104373de6d449f858cbd38f22ce10955e0531',
  '0002_steps/postgres.up.sql': '0bc840e7493f5c7116cc010791ad912ffb4ac8c50110eb2f1e5564eff3e0a493',
  '0002_steps/sqlite.down.sql': 'c101a95570570b17a0456f7e766d835bc4a3904f60a6ee80c4ce94011cf89f96',
  '0002_steps/sqlite.up.sql': '58054426997ab94088fc6209719e77575586e59bc5135b02d07723c5fc1bc21c',
}

test('a migration stays as it was frozen, and a new one is frozen with it', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const found = files.map(({ parentPath, name }) => {
    const path = `${parentPath.split('/').at(-1)}/${name}`
    return [
      path,
      createHash('sha256')
        .update(readFileSync(new URL(path, folder)))
        .digest('hex'),
    ] as const
  })
  expect(Object.fromEntries(found)).toEqual(frozen)
})
