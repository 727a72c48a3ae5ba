import { type HostPort, hostPortsConflict } from '@berth/resources'

/** From here on looking a port up is quicker than comparing it with every other. */
const MANY = 16
const ANY_ADDRESS = '0.0.0.0'

/** Makes ports ready to be asked whether another one conflicts with any of them, however many they are. */
export function portConflicts(wanted: readonly HostPort[]): (taken: HostPort) => boolean {
  if (wanted.length < MANY) return (taken) => wanted.some((port) => hostPortsConflict(port, taken))
  const addresses = new Map<string, Set<string>>()
  for (const { ip, protocol, port } of wanted) {
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
