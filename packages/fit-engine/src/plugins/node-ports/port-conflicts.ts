import { type HostPort, hostPortsConflict } from '@berth/resources'

/** From this number of ports on, an index is faster than comparing with every port. */
const MANY = 16
const ANY_ADDRESS = '0.0.0.0'

/** Returns a test for whether a port conflicts with any of these ports, fast also for many ports. */
export function portConflicts(ports: readonly HostPort[]): (taken: HostPort) => boolean {
  if (ports.length < MANY) return (taken) => ports.some((port) => hostPortsConflict(port, taken))
  const addresses = new Map<string, Set<string>>()
  for (const { ip, protocol, port } of ports) {
    const key = `${port} ${protocol}`
    const known = addresses.get(key)
    if (known === undefined) addresses.set(key, new Set([ip]))
    else known.add(ip)
  }
  return ({ ip, protocol, port }) => {
    const known = addresses.get(`${port} ${protocol}`)
    return known !== undefined && (ip === ANY_ADDRESS || known.has(ANY_ADDRESS) || known.has(ip))
  }
}
