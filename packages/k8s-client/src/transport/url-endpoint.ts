/** The host and the port of a URL. */
export interface Endpoint {
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
}

/** Returns the host and the port to which `url` leads. */
export function endpointOf(url: URL, defaultPort: number): Endpoint {
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
  }
}
