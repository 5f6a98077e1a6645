/**
 * Which addresses are nobody's business from outside: this host, its networks, and whatever else is not the public
 * internet. Of IPv6 only what is handed out for it, 2000::/3, is public; an IPv4 address that hides in there counts as
 * what it is.
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
  // Within 2000::/3: Teredo, ORCHID and other protocols (all of 2001::/23), and documentation.
  ['2001::/23', '2001:db8::/32', '3fff::/20'],
)

const handedOut = blockList([], ['2000::/3'])
/** 6to4: the 32 bits after the first 16 are an IPv4 address. */
const sixToFour = blockList([], ['2002::/16'])
/**
 * Where clouds hand the credentials of a machine to whatever asks on it: Amazon, Google, Azure and most others; their
 * containers; Alibaba; Oracle; Azure's agent.
 */
const metadata = blockList(
  [
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.170.23/32',
    '100.100.100.200/32',
    '192.0.0.192/32',
    '168.63.129.16/32',
  ],
  ['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128'],
)
/** IPv4 addresses written as IPv6. */
const mapped = blockList([], ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'])

/** True unless the address is on the public internet. Text that is not an address is not public either. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return notPublic.check(address, 'ipv4')
  // A zone names an interface of this host.
  if (family !== 6 || address.includes('%')) return true
  if (!handedOut.check(address, 'ipv6') || notPublic.check(address, 'ipv6')) return true
  return sixToFour.check(address, 'ipv6') && notPublic.check(dotted(groupsOf(address).slice(1, 3)), 'ipv4')
}

/** True of addresses that are refused even to a host that is allowed, unless the address itself is. */
export function isMetadataAddress(address: string): boolean {
  const [plain = ''] = address.split('%', 1)
  const family = isIP(plain)
  if (family === 4) return metadata.check(plain, 'ipv4')
  if (family !== 6) return false
  const groups = groupsOf(plain)
  const embedded = sixToFour.check(plain, 'ipv6') ? groups.slice(1, 3) : groups.slice(6)
  const hides = sixToFour.check(plain, 'ipv6') || mapped.check(plain, 'ipv6')
  return metadata.check(plain, 'ipv6') || (hides && metadata.check(dotted(embedded), 'ipv4'))
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
