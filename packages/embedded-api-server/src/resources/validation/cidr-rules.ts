import { BlockList, isIPv4, isIPv6 } from 'node:net'

interface Subnet {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

const NOT_A_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/**
 * Returns why a text is not a valid CIDR; undefined if it is valid.
 *
 * @see k8s.io/apimachinery pkg/util/validation/ip.go parseCIDR, strict (v0.36)
 */
export function cidrProblem(cidr: string): string | undefined {
  const subnet = parseCidr(cidr)
  if (subnet === undefined) {
    return parseCidr(withoutLeadingZeros(cidr)) === undefined
      ? NOT_A_CIDR
      : 'must not have leading 0s in IP or prefix length'
  }
  if (/^::ffff:/i.test(subnet.address)) return 'must not have an IPv4-mapped IPv6 address'
  return isNetworkAddress(subnet) ? undefined : 'must not have bits set beyond the prefix length'
}

/** Returns whether `inner` is a strict subset of `outer`; undefined if one of them is not a CIDR. */
export function isStrictSubset(inner: string, outer: string): boolean | undefined {
  const small = parseCidr(withoutLeadingZeros(inner))
  const large = parseCidr(withoutLeadingZeros(outer))
  if (small === undefined || large === undefined) return undefined
  return (
    small.family === large.family &&
    small.prefix > large.prefix &&
    blockListOf(large).check(small.address, small.family)
  )
}

function parseCidr(cidr: string): Subnet | undefined {
  const [address = '', prefixText = '', ...rest] = cidr.split('/')
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined
  if (family === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(prefixText)) return undefined
  const prefix = Number(prefixText)
  return prefix <= (family === 'ipv4' ? 32 : 128) ? { address, prefix, family } : undefined
}

function withoutLeadingZeros(cidr: string): string {
  return cidr.includes(':') ? cidr.replace(/\/0+(?=\d)/, '/') : cidr.replaceAll(/(^|[./])0+(?=\d)/g, '$1')
}

function blockListOf({ address, prefix, family }: Subnet): BlockList {
  const list = new BlockList()
  list.addSubnet(address, prefix, family)
  return list
}

function isNetworkAddress({ address, prefix, family }: Subnet): boolean {
  return !addressBits(address, family).slice(prefix).includes('1')
}

function addressBits(address: string, family: Subnet['family']): string {
  if (family === 'ipv4')
    return address
      .split('.')
      .map((part) => binary(Number(part), 8))
      .join('')
  // URL parsing writes an IPv6 address in its canonical, shortened form.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))
  const left = groups(head)
  const right = groups(tail ?? '')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => binary(Number.parseInt(group, 16), 16)).join('')
}

function binary(value: number, width: number): string {
  return value.toString(2).padStart(width, '0')
}
