/** A proxy that cannot be reached, or does not let us through. Its address is in the message, its password never. */
export class ProxyError extends Error {
  constructor(proxyUrl: string, reason: string, cause?: unknown) {
    super(`proxy ${new URL(proxyUrl).host}: ${reason}`, cause === undefined ? {} : { cause })
    this.name = 'ProxyError'
  }
}
