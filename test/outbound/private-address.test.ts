/** The guard of every outbound call, by every spelling of an address that should not get through. */
import { expect, test } from 'vitest'
import { type ResolvedAddress, targetOf } from '../../src/outbound/outbound-target.ts'
import { isPrivateAddress } from '../../src/outbound/private-address.ts'

const publicAddress = { address: '93.184.216.34', family: 4 }

/** Whatever a name says, it resolves to this. */
const resolvesTo =
  (...addresses: ResolvedAddress[]) =>
  () =>
    Promise.resolve(addresses)

/** Hosts that all mean this machine, its network or its cloud's metadata, in spellings that have fooled others. */
const spellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0x7f.0.0.1',
  '0x7f000001',
  '0X7F.1',
  '0177.0.0.1',
  '0177.0.0.01',
  '017700000001',
  '2130706433',
  '0',
  '0.0.0.0',
  '0x0',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '127.0.0.1.',
  '10.0.0.1',
  '10.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.1',
  '0xc0a80001',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2002:c0a8:1::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[FE80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[::ffff:93.184.216.34]',
  '[64:ff9b::93.184.216.34]',
  '[4000::1]',
  '[1fff:ffff::1]',
  '[8000::1]',
  '[e000::1]',
  '100.100.100.200',
  '168.63.129.16',
  '[fd00:ec2::254]',
]

test.each(spellings)('http://%s is refused', async (host) => {
  await expect(targetOf(`http://${host}/`, [], resolvesTo(publicAddress))).rejects.toMatchObject({
    code: 'outbound_refused',
  })
})

test('there are at least forty of them', () => {
  expect(new Set(spellings).size).toBeGreaterThanOrEqual(40)
})

test.each(['localhost', 'localtest.me', 'metadata.google.internal', 'xn--n3h.example'])(
  '%s is refused for what it resolves to',
  async (host) => {
    for (const address of ['127.0.0.1', '169.254.169.254', '10.1.2.3']) {
      const resolve = resolvesTo({ address, family: 4 })
      await expect(targetOf(`https://${host}/x`, [], resolve)).rejects.toMatchObject({
        code: 'outbound_refused',
      })
    }
    const resolve = resolvesTo({ address: '::ffff:10.0.0.1', family: 6 })
    await expect(targetOf(`https://${host}/x`, [], resolve)).rejects.toMatchObject({
      code: 'outbound_refused',
    })
  },
)

test('one private address among public ones condemns the name', async () => {
  const resolve = resolvesTo(publicAddress, { address: '10.0.0.1', family: 4 })
  await expect(targetOf('http://mixed.example/', [], resolve)).rejects.toMatchObject({
    code: 'outbound_refused',
  })
})

test.each([
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'data:application/json,[]',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun/docker.sock',
  'http://user:pass@example.com/',
  'http://example.com@127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'http://127.0.0.1\\@example.com/',
  '//127.0.0.1/',
  'not a url',
  'http://[::1%25eth0]/',
  'http://1.2.3.4.5/',
])('%s is refused', async (url) => {
  await expect(targetOf(url, [], resolvesTo({ address: '127.0.0.1', family: 4 }))).rejects.toMatchObject({
    code: 'outbound_refused',
  })
})

test.each(['93.184.216.34', '1.1.1.1', '2606:4700::1111', '2002:101:101::'])('%s is public', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

test('what is no address, or has a zone, is not public', () => {
  for (const text of ['', 'example.com', '1.2.3', 'fe80::1%eth0', '2606:4700::1111%1']) {
    expect(isPrivateAddress(text)).toBe(true)
  }
})

test('a host that is allowed may be private, by name or with its port, and only that one', async () => {
  const resolve = resolvesTo({ address: '10.0.0.1', family: 4 })
  const allowed = ['Inner.example', 'other.example:8080', '127.0.0.1']
  expect(await targetOf('http://inner.EXAMPLE:99/', allowed, resolve)).toMatchObject({ address: '10.0.0.1' })
  expect(await targetOf('http://other.example:8080/', allowed, resolve)).toMatchObject({ family: 4 })
  expect(await targetOf('http://0x7f.1/', allowed, resolve)).toMatchObject({ address: '127.0.0.1' })
  for (const url of ['http://other.example/', 'http://x.inner.example/', 'http://127.0.0.2/']) {
    await expect(targetOf(url, allowed, resolve)).rejects.toMatchObject({ code: 'outbound_refused' })
  }
})

test.each(['169.254.169.254', '100.100.100.200', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
  'a host that is allowed does not lead to the metadata of a cloud machine, %s, unless it says so itself',
  async (address) => {
    const resolve = resolvesTo({ address, family: address.includes(':') ? 6 : 4 })
    const allowed = ['inner.example', 'metadata.google.internal', address, `[${address}]`]
    await expect(targetOf('http://inner.example/', allowed, resolve)).rejects.toMatchObject({
      code: 'outbound_refused',
    })
    await expect(targetOf('http://metadata.google.internal/', ['inner.example'], resolve)).rejects.toThrow(
      'the metadata service of a cloud machine',
    )
    expect(await targetOf('http://metadata.google.internal/', allowed, resolve)).toMatchObject({ address })
  },
)

test('the metadata of a cloud machine is reached by its address, where that is allowed', async () => {
  const url = 'http://169.254.169.254/latest'
  const resolve = resolvesTo()
  expect(await targetOf(url, ['169.254.169.254'], resolve)).toMatchObject({ address: '169.254.169.254' })
  await expect(targetOf(url, ['inner.example'], resolve)).rejects.toMatchObject({ code: 'outbound_refused' })
})

test('a name that has no address, or cannot be resolved, is unreachable', async () => {
  await expect(targetOf('http://gone.example/', [], resolvesTo())).rejects.toMatchObject({
    code: 'outbound_failed',
  })
  const broken = () => Promise.reject(new Error('SERVFAIL'))
  await expect(targetOf('http://gone.example/', [], broken)).rejects.toMatchObject({
    code: 'outbound_failed',
  })
})
