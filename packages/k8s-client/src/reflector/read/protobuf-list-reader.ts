import { hasEnvelope, ProtobufError, WIRE, WireReader } from '@berth/kube-schema/protobuf'
import { decodeListMetadata } from '../../encoding/protobuf-kinds.ts'
import { ByteQueue } from './byte-queue.ts'
import type { ProtobufObjects } from './protobuf-objects.ts'
import type { ListReader } from './stream-reader.ts'

const PREFIX_BYTES = 4
/** A tag and a length take at most this many bytes. */
const MAX_HEADER_BYTES = 10
const MAX_ITEM_BYTES = 64 * 1024 * 1024
const [METADATA, ITEM, MESSAGE] = [1, 2, 2]

/** The tag of a field, and the length of its value. */
interface Header {
  readonly number: number
  readonly bytes: number
  readonly length: number
}

/**
 * Creates a reader of a list in protobuf. It returns the items while they arrive, because a server that ignores `limit`
 * sends hundreds of megabytes in one response.
 */
export function protobufListReader(objects: ProtobufObjects): ListReader {
  const queue = new ByteQueue()
  let hasPrefix = false
  /**
   * Number of bytes of the list message that have not been read; undefined while the fields of its envelope are read.
   */
  let remaining: number | undefined
  let hasEnded = false
  let metadata: ReturnType<ListReader['metadata']> = {}

  /** Reads the next header; undefined if it has not arrived. */
  const nextHeader = (): Header | undefined => {
    if (queue.length === 0) return undefined
    const bytes = queue.peek(Math.min(queue.length, MAX_HEADER_BYTES)) ?? Buffer.alloc(0)
    const reader = new WireReader(bytes.subarray(0, MAX_HEADER_BYTES))
    try {
      const tag = reader.tag(reader.length)
      if ((tag & 7) !== WIRE.bytes) throw new ProtobufError(`a field of the list has the wire type ${tag & 7}`)
      const length = reader.unsigned(reader.length)
      return { number: tag >>> 3, bytes: reader.at, length }
    } catch (error) {
      if (queue.length >= MAX_HEADER_BYTES || reader.at < reader.length) throw error
      return undefined
    }
  }

  return {
    push(chunk) {
      queue.push(chunk)
      const items: Uint8Array[] = []
      if (!hasPrefix) {
        const prefix = queue.take(PREFIX_BYTES)
        if (prefix === undefined) return items
        if (!hasEnvelope(prefix)) throw new ProtobufError('the list does not start with the prefix "k8s"')
        hasPrefix = true
      }
      for (;;) {
        const header = nextHeader()
        if (header === undefined) return items
        if (remaining === undefined && header.number === MESSAGE) {
          queue.take(header.bytes)
          remaining = header.length
          hasEnded = remaining === 0
          if (hasEnded) remaining = undefined
          continue
        }
        const size = header.bytes + header.length
        if (size > MAX_ITEM_BYTES) throw new ProtobufError(`a list item is larger than ${MAX_ITEM_BYTES} bytes`)
        if (remaining !== undefined && size > remaining) throw new ProtobufError('an item exceeds its list')
        const value = queue.take(size)?.subarray(header.bytes)
        if (value === undefined) return items
        if (remaining === undefined) continue
        if (header.number === ITEM) items.push(value)
        else if (header.number === METADATA) metadata = decodeListMetadata(value)
        remaining -= size
        if (remaining === 0) {
          remaining = undefined
          hasEnded = true
        }
      }
    },
    parse: (item) => objects.decode(item as Uint8Array),
    metadata() {
      if (!hasEnded || queue.length > 0) throw new Error('the list ended early')
      return metadata
    },
  }
}
