import { ListenError } from './errors.ts'

/** A listen address, taken apart. */
export interface HostPort {
  /** Without brackets; empty means every interface. */
  readonly host: string
  /** 0 means any free port. */
  readonly port: number
}

const pattern = /^(?:\[(?<bracketed>[0-9a-fA-F:.%]+)\]|(?<plain>[^\s:[\]/]*)):(?<port>\d{1,5})$/

/**
 * Reads `host:port`, `[ipv6]:port` or `:port`.
 *
 * @throws ListenError BERTH_LISTEN_ADDRESS when it is none of these or the port is above 65535.
 */
export function parseHostPort(address: string): HostPort {
  const groups = pattern.exec(address)?.groups
  const port = Number(groups?.['port'] ?? Number.NaN)
  if (groups === undefined || !(port <= 65_535)) {
    throw new ListenError(`read listen address "${address}": it is not HOST:PORT`, {
      code: 'BERTH_LISTEN_ADDRESS',
      hint: 'Write it as 127.0.0.1:9402, [::1]:9402 or :9402; port 0 selects any free port.',
    })
  }
  return { host: groups['bracketed'] ?? groups['plain'] ?? '', port }
}

/** Returns whether `parseHostPort` accepts the text; for configuration schemas. */
export function isHostPort(address: string): boolean {
  const groups = pattern.exec(address)?.groups
  return groups !== undefined && Number(groups['port']) <= 65_535
}

/** The opposite of `parseHostPort`: brackets around an IPv6 host. */
export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
