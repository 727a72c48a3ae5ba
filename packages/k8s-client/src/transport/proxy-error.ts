/** A proxy cannot be reached or refuses the connection. The message contains its address, but never its password. */
export class ProxyError extends Error {
  constructor(proxyUrl: string, reason: string, cause?: unknown) {
    super(`proxy ${new URL(proxyUrl).host}: ${reason}`, cause === undefined ? {} : { cause })
    this.name = 'ProxyError'
  }
}
