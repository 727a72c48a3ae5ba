import { WIRE, WireReader } from '@berth/kube-schema/protobuf'
import { ByteQueue } from './byte-queue.ts'
import type { ProtobufObjects } from './protobuf-objects.ts'
import type { WatchReader } from './stream-reader.ts'
import { isFrameType, type WatchFrame } from './watch-frame.ts'

const LENGTH_BYTES = 4
const MAX_FRAME_BYTES = 64 * 1024 * 1024

/**
 * Creates a reader of a watch in protobuf: each frame is a WatchEvent after its length in four bytes. The object in it
 * has an envelope.
 *
 * @see kubernetes v1.36 k8s.io/apimachinery/pkg/util/framer/framer.go
 */
export function protobufWatchReader(objects: ProtobufObjects): WatchReader {
  const queue = new ByteQueue()
  return {
    push(chunk) {
      queue.push(chunk)
      const frames: Uint8Array[] = []
      for (;;) {
        const length = queue.peek(LENGTH_BYTES)?.readUInt32BE()
        if (length === undefined) return frames
        if (length > MAX_FRAME_BYTES) throw new Error(`a watch frame is larger than ${MAX_FRAME_BYTES} bytes`)
        const frame = queue.take(LENGTH_BYTES + length)
        if (frame === undefined) return frames
        frames.push(frame.subarray(LENGTH_BYTES))
      }
    },
    parse: (frame) => readFrame(frame as Uint8Array, objects),
  }
}

function readFrame(frame: Uint8Array, objects: ProtobufObjects): WatchFrame | undefined {
  const reader = new WireReader(frame)
  const end = reader.length
  let type = ''
  let object: Uint8Array = new Uint8Array()
  try {
    while (reader.at < end) {
      const tag = reader.tag(end)
      if (tag === 8 + WIRE.bytes) type = reader.text(reader.valueEnd(end))
      else if (tag === 16 + WIRE.bytes) object = readRaw(reader, reader.valueEnd(end))
      else reader.skip(tag & 7, end)
    }
  } catch {
    return undefined
  }
  return isFrameType(type) ? { type, object: objects.decodeEnveloped(object) } : undefined
}

/** Reads the bytes of a RawExtension: its field 1. */
function readRaw(reader: WireReader, end: number): Uint8Array {
  let raw: Uint8Array = new Uint8Array()
  while (reader.at < end) {
    const tag = reader.tag(end)
    if (tag === 8 + WIRE.bytes) raw = reader.slice(reader.valueEnd(end))
    else reader.skip(tag & 7, end)
  }
  return raw
}
