/**
 * Which addresses are nobody's business from outside: this host, its networks, and whatever else is not the public
 * internet. An IPv4 address that hides in an IPv6 one counts as what it is.
 */
import { BlockList, isIP } from 'node:net'

const notPublic = blockList(
  // This network, private, shared, loopback, link-local (cloud metadata), protocols, tests, relays, multicast, reserved.
  [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  // Unspecified, loopback and the old compatible form; local NAT64; discard; Teredo, ORCHID and other protocols (all of
  // 2001::/23); documentation; segment routing; unique local; link-local; site-local; multicast.
  [
    '::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
)

/** Where the last 32 bits, or those after the first 16, are an IPv4 address: mapped, translated, NAT64; 6to4. */
const embedsAtEnd = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map((net) => blockList([], [net]))
const sixToFour = blockList([], ['2002::/16'])

/** True unless the address is one of the public internet. What is no address is not public either. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return notPublic.check(address, 'ipv4')
  // A zone names an interface of this host.
  if (family !== 6 || address.includes('%')) return true
  if (notPublic.check(address, 'ipv6')) return true
  const embedded = embeddedIpv4(address)
  return embedded !== null && notPublic.check(embedded, 'ipv4')
}

function embeddedIpv4(address: string): string | null {
  const groups = groupsOf(address)
  if (sixToFour.check(address, 'ipv6')) return dotted(groups.slice(1, 3))
  return embedsAtEnd.some((net) => net.check(address, 'ipv6')) ? dotted(groups.slice(6)) : null
}

/** The eight groups of an IPv6 address; the URL parser writes every spelling of it in one form. */
function groupsOf(address: string): number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const numbers = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [numbers(head), numbers(tail ?? '')]
  if (tail === undefined) return before
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after]
}

function dotted([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

function blockList(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList()
  for (const net of ipv4) addNet(list, net, 'ipv4')
  for (const net of ipv6) addNet(list, net, 'ipv6')
  return list
}

function addNet(list: BlockList, net: string, family: 'ipv4' | 'ipv6'): void {
  const [base = '', bits] = net.split('/')
  list.addSubnet(base, Number(bits), family)
}
