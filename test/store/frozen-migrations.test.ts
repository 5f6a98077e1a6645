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
  '0009_order/mysql.down.sql': 'e958f2641af30ebcf32805a2f72bf099819bee55198a4963713a834b34c0a064',
  '0009_order/mysql.up.sql': '3f35a74016ad0bcf354b5178584b1f44ce4e3434de960cac070bb19d1ce2f1c0',
  '0009_order/postgres.down.sql': '701c21db88c2c8e9d45896018f8b65a23c30794a4d74ac788c8e256fcc2daba9',
  '0009_order/postgres.up.sql': '9b14cbf0f327588985cac173c0070f4db675545f8f11d227b31bec740975eba6',
  '0009_order/sqlite.down.sql': '3fc9d61dfcee57802c335ad223697f860897f7dd3ab20bc190d417d9c15c4856',
  '0009_order/sqlite.up.sql': '3134632daafefb638e1c9c01c9aff2c6b269ed9f0a7c39f031eb75cc64508df6',
  '0010_limits/mysql.down.sql': 'd4ebd07039573a8f554cccaed566ecb75b9958fa0d5c0015407358f4d456e0f7',
  '0010_limits/mysql.up.sql': '6fecbc6ff3524357db4d101ab29159aead93e99c0b2d194e6de55681e72ac0b2',
  '0010_limits/postgres.down.sql': '0b6a33b02f7f9cb9e9bc3946c959ce51b519f05925a4f688918c4a507dc3bb21',
  '0010_limits/postgres.up.sql': '4bd7d9680183d57167fe31a162a08cb1b75e5335030a6ea82972c20d210c9c08',
  '0010_limits/sqlite.down.sql': '1db59d3c9fc7a50ef264059827da3ba3368e5915e11e8569a05e56eb9dbf1f7b',
  '0010_limits/sqlite.up.sql': '9226f75adca56cded56dc8daa893d11fea903915c7ee6bb3adbb775e19f837ac',
  '0011_calendars/mysql.down.sql': '238cbc21bba69cc23762c023bfcc81a1d73b69478239cfe4074b6bb0bdd62327',
  '0011_calendars/mysql.up.sql': 'dc084ec1f45cb9f7145e457e13681f855a8d22fe5b429185eded38ea859cd217',
  '0011_calendars/postgres.down.sql': '8752a29c06b01dc82b07c93b8425e979efff4dc619733b42ac18a17ced64b9db',
  '0011_calendars/postgres.up.sql': '822d179c8b14f051b5d35b96779adc9ae16c78a031069d4b780bf1ae00c8f37e',
  '0011_calendars/sqlite.down.sql': '238cbc21bba69cc23762c023bfcc81a1d73b69478239cfe4074b6bb0bdd62327',
  '0011_calendars/sqlite.up.sql': 'e8feec282bed6c9f9149f778f79ff331f6e552e5798a98d8da9cadc9ec536393',
  '0012_dependencies/mysql.down.sql': 'fb73b41e3606ce8d3c0ec12a84c5f0288c7690a1117a89a952b4e710ec7fe617',
  '0012_dependencies/mysql.up.sql': '882cf5f3868827a89411533eaa463fdb4444fd80494714701d2d0dacd0e2811f',
  '0012_dependencies/postgres.down.sql': '027bee2dce73c72c2effc515caaf1025332d1a0866648a9bcb6788311e9fc094',
  '0012_dependencies/postgres.up.sql': 'e1cee9f61cdb4c58039eb7647dd0d40b6dc7162ce2510dc33701fe87f52008c5',
  '0012_dependencies/sqlite.down.sql': '7ca177d828dc2913177160af6ff948d0a42c01f1de0d48b98229868c213ef1a9',
  '0012_dependencies/sqlite.up.sql': '53e825d67bdc52a0ff754ccba293bcb64c6121d01a406a2d9297b84ff1367cf7',
  '0013_flows/mysql.down.sql': 'f7af2244debc6fe2d2216b4d42e26b44ae8a5e423e23e8b36b31e0eb45953b2b',
  '0013_flows/mysql.up.sql': 'ee9f5af76ce0f2af69592cac9c7878147388442bc19c16aaf84f3a1fb3c2fd37',
  '0013_flows/postgres.down.sql': '806ad2f4387412053937707ec13638088e98f5aeac8de7d7bf475420a953baad',
  '0013_flows/postgres.up.sql': '86d3ddb3026b059b448497882f129133545923de6c6f2edcecd35150b027d993',
  '0013_flows/sqlite.down.sql': 'f7af2244debc6fe2d2216b4d42e26b44ae8a5e423e23e8b36b31e0eb45953b2b',
  '0013_flows/sqlite.up.sql': 'e0781a4b7e2e50472cf785b3fc4ec648581b382e11217ee08095066d82210f7f',
  '0014_unique_keys/mysql.down.sql': '67dd4819601fc648d23b913ae53c324ca05e8a796cbf7a1cecfab244c34d6f44',
  '0014_unique_keys/mysql.up.sql': '32db57edb422eaaf285701662abf6ad4a1e14392ac60efc7a8d311b3be3de6d2',
  '0014_unique_keys/postgres.down.sql': '0d3801623e70acaefbaf732010444abd0bff08ad5c8043730812c04f1dbc3d3c',
  '0014_unique_keys/postgres.up.sql': '57c2cec699ad9ee171c898fddf3d13949693bbe85030742ef4515dc59e632e48',
  '0014_unique_keys/sqlite.down.sql': '67dd4819601fc648d23b913ae53c324ca05e8a796cbf7a1cecfab244c34d6f44',
  '0014_unique_keys/sqlite.up.sql': 'a6cb22fdba227ee74f873c9fd5cd5b977e9ba28b72a8ec7c0fb7b6d3f352889c',
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
