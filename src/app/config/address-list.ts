/** Addresses and networks, as `127.0.0.1` and `10.0.0.0/8`. */
import { BlockList, isIP } from 'node:net'
import { EvertickError } from '../../core/error.ts'

export function addressList(entries: readonly string[], field: string): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits, more] = entry.split('/')
    const version = isIP(address)
    const longest = version === 4 ? 32 : 128
    const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (version === 0 || more !== undefined || !(length >= 0 && length <= longest)) {
      throw new EvertickError('invalid_config', `${JSON.stringify(entry)} is not an address or a network.`, {
        field,
        next: 'List addresses and networks: 127.0.0.1, 10.0.0.0/8.',
      })
    }
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

export function isListed(list: BlockList, address: string): boolean {
  // A socket that listens on both families writes IPv4 addresses as IPv6.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const version = isIP(plain)
  return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
}
