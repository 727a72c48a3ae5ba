import type { Status } from '@berth/types'
import { hasEnvelope } from '@berth/kube-schema/protobuf'
import { errorText } from '@berth/text/error-text'
import { firstLine } from '@berth/text/first-line'
import { decodeStatus, decodeWritten } from '../encoding/protobuf-kinds.ts'
import { TransportError } from '../errors/transport-error.ts'

/** One for all bodies: to create one costs more than to decode a small body. */
const utf8 = new TextDecoder()

/**
 * Reads a whole body.
 *
 * @throws TransportError BERTH_API_UNREADABLE if it is larger than `maxBytes`
 */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw unreadable(what, `the response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const [only] = chunks
  if (chunks.length !== 1 || only === undefined) return Buffer.concat(chunks, size)
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength)
}

/**
 * Decodes a body in JSON, or in protobuf if it starts with the prefix of Kubernetes' protobuf envelope.
 *
 * @param decode - Decodes a body in protobuf. Default: decodes the response to a write.
 * @throws TransportError BERTH_API_UNREADABLE
 */
export function parseBody(
  body: Uint8Array,
  what: string,
  decode: (body: Uint8Array) => unknown = decodeWritten,
): unknown {
  if (hasEnvelope(body)) {
    try {
      return decode(body)
    } catch (cause) {
      throw unreadable(what, errorText(cause), cause)
    }
  }
  const text = utf8.decode(body)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable(what, `the response is not JSON: ${text.slice(0, 80)}`, cause)
  }
}

/**
 * Returns the `Status` of an error response. For other text, the first line becomes the message; damaged protobuf has
 * none.
 */
export function statusOf(body: Uint8Array): Status {
  if (hasEnvelope(body)) {
    try {
      return decodeStatus(body)
    } catch {
      return {}
    }
  }
  const text = utf8.decode(body)
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Proxies and overloaded servers respond with plain text.
  }
  const line = firstLine(text)
  return line === '' ? {} : { message: line.slice(0, 256) }
}

/** Returns a Retry-After header in milliseconds; undefined without one. Kubernetes never sends it as a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after']
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined
}

function unreadable(what: string, reason: string, cause?: unknown): TransportError {
  return new TransportError(`${what}: ${reason}`, {
    code: 'BERTH_API_UNREADABLE',
    retryable: false,
    delivered: 'unknown',
    ...(cause === undefined ? {} : { cause }),
    hint: 'Check that the address belongs to an API server and not to a proxy or a login page.',
  })
}
