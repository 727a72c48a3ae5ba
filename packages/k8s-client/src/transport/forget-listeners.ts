import type { EventEmitter } from 'node:events'

/**
 * Removes the listeners of an HTTP/2 stream that is closed. What they refer to, such as the body of the request, would otherwise
 * live until the next full collection of garbage: a collection of young objects keeps the native part of a stream, and the stream with it.
 * Later errors of the stream are ignored.
 */
export function forgetListeners(stream: EventEmitter): void {
  stream.removeAllListeners()
  // Without a listener, an error would end the process.
  stream.on('error', ignoreError)
}

function ignoreError(): void {
  // The stream is closed, and its caller has the outcome.
}
