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
  '0003_usage/mysql.down.sql': 'b3df6ac22bb0a1901afc5046a3a03d894952b58bc8a54468f65c1afff614e7e1',
  '0003_usage/mysql.up.sql': '8c1ce2640b11c43968523befb17c28be4cb55540d4c109f8d0df9a1bf5c21e0c',
  '0003_usage/postgres.down.sql': 'ed111e711a887362a3fb3205b60cb9f7e8e656f15c0d8749bf4f63912a5dfe02',
  '0003_usage/postgres.up.sql': '53e697fa6f36a74bdc763e369c6e06a9d482955182b3c1f7e37006ed18266ba7',
  '0003_usage/sqlite.down.sql': 'b3df6ac22bb0a1901afc5046a3a03d894952b58bc8a54468f65c1afff614e7e1',
  '0003_usage/sqlite.up.sql': '5e259e34b7973cb82d879d15a0d859df5e224b6eabaec2fa2ff50855b540b171',
  '0004_notices/mysql.down.sql': '0c4979fa921413a07b9f8e403af102c51f40b82618a26d82db81f83fc9be23bc',
  '0004_notices/mysql.up.sql': '61e0e2def0ff5f6a78a4eed851c814becf3edb769e537695ecb23774406ca917',
  '0004_notices/postgres.down.sql': '0a994e3f17ab10ccc425c0e6964097394327e6add21c49f6a2b3a5c7b6f45f71',
  '0004_notices/postgres.up.sql': 'a53b382964b4e0a75a34d4b0c5b8aa3024e4932bcabb76c19cb7477524e14e23',
  '0004_notices/sqlite.down.sql': '0c4979fa921413a07b9f8e403af102c51f40b82618a26d82db81f83fc9be23bc',
  '0004_notices/sqlite.up.sql': '58a04b7ee8a14a26a95bd0b6310c9d993bec8f8cf751b45fddc18ffa40aef85b',
  '0005_alerts/mysql.down.sql': '49134fb40ebe29dcd77e4990c06f77dd8f4a84f5c5fb46ba17d809eb9d5b7b03',
  '0005_alerts/mysql.up.sql': 'b455d1e1846377e26eecd1dd7046389018f64a0fa8ff3670dc2ec2041b77ec73',
  '0005_alerts/postgres.down.sql': 'a5e55040e21ae90e17117ecd23388bb25670daa11d6909523c64fc281d796a31',
  '0005_alerts/postgres.up.sql': 'e33debec640e4279f420f5fa6ccb0aacbbfea4cdb9c0d41586c9d9a95e0297a2',
  '0005_alerts/sqlite.down.sql': '49134fb40ebe29dcd77e4990c06f77dd8f4a84f5c5fb46ba17d809eb9d5b7b03',
  '0005_alerts/sqlite.up.sql': 'b2e60312b541fb6e708468a4cc0f50c87dff66f17a5875cfd97b6562657fd3ac',
  '0006_vacuum/mysql.down.sql': 'dfac4bd217993650fdd41c470a3a5b0c52f8a5c6377b461e1cf0f7c60f518cdc',
  '0006_vacuum/mysql.up.sql': 'dfac4bd217993650fdd41c470a3a5b0c52f8a5c6377b461e1cf0f7c60f518cdc',
  '0006_vacuum/postgres.down.sql': '959668fe37ef16b931d6d907f25c45c2265308ec96db04057ad3d30b17f89c62',
  '0006_vacuum/postgres.up.sql': '1a4d5af4ba406bdf1bafb865d301007840eecbc2e9c7f43d969ef05b49bf5f30',
  '0006_vacuum/sqlite.down.sql': 'dfac4bd217993650fdd41c470a3a5b0c52f8a5c6377b461e1cf0f7c60f518cdc',
  '0006_vacuum/sqlite.up.sql': 'dfac4bd217993650fdd41c470a3a5b0c52f8a5c6377b461e1cf0f7c60f518cdc',
  '0007_check_ins/mysql.down.sql': 'c82f19bb0308ca06ce10febb55676f740a53f731bf162265eb51ca8759d834d1',
  '0007_check_ins/mysql.up.sql': '4e03759c143cbc2f400311e14a0e6e89b849bbb6a1a797ca9c42196d1ba6e5c8',
  '0007_check_ins/postgres.down.sql': '4a12b5d7433f730785c1cf3aa46b92576bb0b6d0854f417caec5c2d111151732',
  '0007_check_ins/postgres.up.sql': '9314252815d3f6f3113abc4a012c9e61001fcf9ecf03bdb2a8138e33f443d7fe',
  '0007_check_ins/sqlite.down.sql': 'c82f19bb0308ca06ce10febb55676f740a53f731bf162265eb51ca8759d834d1',
  '0007_check_ins/sqlite.up.sql': 'fce62eebe3d31fcaa2406ef12ce02b344ca0f0eae835511f56d82e3369534964',
  '0008_vault/mysql.down.sql': '50b532a5692780e8a74584594cbe22497614d6de4dc639dd9cd187e8e40caa15',
  '0008_vault/mysql.up.sql': '2d089e2af69875b773402c0cc4cedfc30091744472866df27e39cc5155accaa8',
  '0008_vault/postgres.down.sql': '3aca78e9fa3bb129c60781939ff0bcbf2516452293de59bd68a274882f2be4e4',
  '0008_vault/postgres.up.sql': 'c767e892d100c196955df3cc8a325f78f780d04a66bc1a63734fc45dafce884d',
  '0008_vault/sqlite.down.sql': '50b532a5692780e8a74584594cbe22497614d6de4dc639dd9cd187e8e40caa15',
  '0008_vault/sqlite.up.sql': '0a5c82d6a13236945c0f2fc6682c18ca25b2c563cdab9c64ee4e363e18a4836a',
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
