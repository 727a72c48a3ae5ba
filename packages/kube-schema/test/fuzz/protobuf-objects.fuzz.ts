import assert from 'node:assert/strict'
import { createSchema, groupVersions, type ObjectType } from '../../src/index.ts'
import { createMessageDecoder, encodeMessage, ProtobufError, type MessageDecoder } from '../../src/protobuf/index.ts'

/** Gives the error of the decoder a code, as its callers do. */
class DecodeRefusal extends Error {
  readonly code: string = 'BERTH_FUZZ_PROTOBUF'
}

/** A type of objects with its decoder. */
interface Codec {
  readonly type: ObjectType
  readonly decode: MessageDecoder
}

const schema = createSchema([groupVersions.metaV1, groupVersions.coreV1])
const types: readonly Codec[] = ['Pod', 'Node', 'Event'].map((kind) => {
  const type = schema.kind('v1', kind)?.type
  assert.ok(type)
  return { type, decode: createMessageDecoder(type, { fillsEmpty: false }) }
})

export const contract: string = 'A decoded object encodes to a message that decodes to the same object.'
export const refusals: readonly unknown[] = [DecodeRefusal]
export const dictionary: readonly string[] = [
  '\n',
  '\x12',
  '\x1a',
  '"',
  '*',
  '\x0a\x02',
  '__proto__',
  'example.com/dongle',
  '1Gi',
  '\x08\x96\x01',
  '\xff\xff\xff\xff\x0f',
]

/** A decoded object. */
interface Decoded extends Codec {
  readonly object: Record<string, unknown>
}

/** The first byte chooses the type. */
export function parse(input: Uint8Array): Decoded {
  const chosen = types[(input[0] ?? 0) % types.length]
  assert.ok(chosen)
  try {
    return { ...chosen, object: chosen.decode(input.subarray(1)) }
  } catch (error) {
    if (error instanceof ProtobufError) throw new DecodeRefusal(error.message)
    throw error
  }
}

export function verify({ type, decode, object }: Decoded): void {
  const again = decode(encodeMessage(type, object))
  assert.deepEqual(again, object)
}
