import { BerthError } from '@berth/types'
import { ProtobufError } from '@berth/kube-schema/protobuf'

/** A stream that a reader cannot read. The reflector reads everything again then. */
export class StreamRefusal extends BerthError {
  constructor(cause: Error) {
    super(cause.message, { code: 'BERTH_FUZZ_STREAM', cause })
  }
}

/** Runs a reader. Its own errors are refusals; those of the language, such as TypeError, are not. */
export function refusing<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const isOwn =
      error instanceof Error &&
      (error.constructor === Error || error instanceof SyntaxError || error instanceof ProtobufError)
    throw isOwn ? new StreamRefusal(error) : error
  }
}

/** Cuts bytes into chunks whose sizes repeat. */
export function chunksOf(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += chunks.at(-1)?.length ?? 1)
    chunks.push(bytes.subarray(at, at + (sizes[chunks.length % sizes.length] ?? 1)))
  return chunks
}
