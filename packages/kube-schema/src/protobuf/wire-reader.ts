import { ProtobufError } from './protobuf-error.ts'

/** The wire types of protobuf. Kubernetes does not use groups and 32-bit values, but unknown fields may. */
export const WIRE: Readonly<Record<'varint' | 'bit64' | 'bytes' | 'startGroup' | 'endGroup' | 'bit32', number>> = {
  varint: 0,
  bit64: 1,
  bytes: 2,
  startGroup: 3,
  endGroup: 4,
  bit32: 5,
}

const MAX_GROUP_DEPTH = 32
const TWO_32 = 4_294_967_296
/** Strings of at most this many bytes are looked up in a cache, because most of them repeat: keys, phases, names. */
const CACHED_BYTES = 40
const CACHE_SLOTS = 2_048
const cache: string[] = Array.from({ length: CACHE_SLOTS }, () => '')

/**
 * Reads the wire format of protobuf. Own code instead of a library's reader, because a mirror decodes every event of a
 * cluster: this reader allocates nothing per field, and reads nested messages in place.
 *
 * @throws ProtobufError from every method, when the bytes end early or are not valid
 */
export class WireReader {
  /** Position of the next byte. */
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
  }

  get length(): number {
    return this.#bytes.length
  }

  /** Reads the tag of a field, an unsigned number of at most 32 bits. The low three bits are its wire type. */
  tag(end: number): number {
    const tag = this.unsigned(end)
    if (tag < 8) throw this.#error('a field has the number 0')
    return tag
  }

  /** Reads an unsigned number of at most 32 bits. */
  unsigned(end: number): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte(end)
      if (shift === 28 && byte > 0x0f) break
      value = (value | ((byte & 0x7f) << shift)) >>> 0
      if (byte < 0x80) return value
    }
    throw this.#error('a number is larger than 32 bits')
  }

  /** Reads a signed 64-bit number. Beyond 2^53 it is rounded as in `JSON.parse`. */
  signed(end: number): number {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte(end)
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else if (shift < 63) high |= bits << (shift - 32)
      else high |= (bits & 1) << 31
      if (byte < 0x80) {
        if (high >= 0) return high * TWO_32 + (low >>> 0)
        return -((~high >>> 0) * TWO_32 + ((~low >>> 0) + 1))
      }
    }
    throw this.#error('a number is larger than 64 bits')
  }

  double(end: number): number {
    if (this.at + 8 > end) throw this.#error('a number ends early')
    const value = this.#bytes.readDoubleLE(this.at)
    this.at += 8
    return value
  }

  /** Reads the length of a value and returns the position of its end. */
  valueEnd(end: number): number {
    const length = this.unsigned(end)
    const valueEnd = this.at + length
    if (valueEnd > end) throw this.#error(`a value of ${length} bytes exceeds its message`)
    return valueEnd
  }

  /** Reads the bytes up to `end` as text. Invalid UTF-8 becomes U+FFFD. */
  text(end: number): string {
    const start = this.at
    this.at = end
    const length = end - start
    if (length === 0) return ''
    if (length > CACHED_BYTES) return this.#bytes.toString('utf8', start, end)
    const bytes = this.#bytes
    let hash = length
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (byte >= 0x80) return bytes.toString('utf8', start, end)
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    const slot = (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1)
    const cached = cache[slot] ?? ''
    if (cached.length === length) {
      let at = 0
      while (at < length && cached.charCodeAt(at) === bytes[start + at]) at++
      if (at === length) return cached
    }
    const text = bytes.toString('latin1', start, end)
    cache[slot] = text
    return text
  }

  /** Returns the bytes up to `end`, not copied. */
  slice(end: number): Buffer {
    const slice = this.#bytes.subarray(this.at, end)
    this.at = end
    return slice
  }

  /** Skips the value of a field. */
  skip(wireType: number, end: number, depth = 0): void {
    switch (wireType) {
      case WIRE.varint:
        this.signed(end)
        return
      case WIRE.bytes:
        this.at = this.valueEnd(end)
        return
      case WIRE.bit64:
        return this.#skipBytes(8, end)
      case WIRE.bit32:
        return this.#skipBytes(4, end)
      case WIRE.startGroup:
        if (depth === MAX_GROUP_DEPTH) throw this.#error('groups are nested too deeply')
        for (;;) {
          const inner = this.tag(end) & 7
          if (inner === WIRE.endGroup) return
          this.skip(inner, end, depth + 1)
        }
      default:
        throw this.#error(`a field has the wire type ${wireType}`)
    }
  }

  #skipBytes(count: number, end: number): void {
    if (this.at + count > end) throw this.#error('a number ends early')
    this.at += count
  }

  #byte(end: number): number {
    if (this.at >= end) throw this.#error('a number ends early')
    return this.#bytes[this.at++] ?? 0
  }

  #error(reason: string): ProtobufError {
    return new ProtobufError(`${reason} (byte ${this.at})`)
  }
}
