import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSchema, groupVersions, type FieldType, type ObjectType } from '../index.ts'
import { createMessageDecoder, encodeEnvelope, encodeMessage, ProtobufError, readEnvelope } from './index.ts'

const schema = createSchema([groupVersions.coreV1, groupVersions.metaV1, groupVersions.eventsV1])
const typeOf = (apiVersion: string, kind: string): ObjectType => {
  const found = schema.kind(apiVersion, kind)
  if (found === undefined) throw new Error(`no ${kind}`)
  return found.type
}
const pod = typeOf('v1', 'Pod')
const kinds = [pod, typeOf('v1', 'Node'), typeOf('v1', 'Binding'), typeOf('events.k8s.io/v1', 'Event')]

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ minLength: 60, maxLength: 80 }))
const anyJson = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })
const timeText = fc.date({ min: new Date(1000), max: new Date('9999-01-01T00:00:00Z'), noInvalidDate: true })

function valueOf(type: FieldType, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'object':
      return objectOf(type.object, depth - 1)
    case 'list':
      return fc.array(valueOf(type.element, depth), { maxLength: 2 })
    case 'map':
      return fc.dictionary(fc.oneof(text, fc.constant('__proto__')), valueOf(type.element, depth), { maxKeys: 2 })
    case 'scalar':
      return scalarOf(type.scalar)
  }
}

function scalarOf(scalar: string): fc.Arbitrary<unknown> {
  switch (scalar) {
    case 'string':
      return text
    case 'bytes':
      return fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.integer()
    case 'int64':
      return fc.maxSafeInteger()
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'Quantity':
      return fc.constantFrom('0', '100m', '1Gi', '9223372036854775807')
    case 'Time':
      return timeText.map((time) => `${time.toISOString().slice(0, 19)}Z`)
    case 'MicroTime':
      return timeText.map((time) => time.toISOString().replace('Z', '987Z'))
    case 'IntOrString':
      return fc.oneof(fc.integer(), text)
    default:
      return anyJson
  }
}

/** Objects in which each field of the type is present or absent. */
function objectOf(type: ObjectType, depth: number): fc.Arbitrary<Record<string, unknown>> {
  if (depth <= 0) return fc.constant({})
  const fields = [...type.fields.values()].filter(({ name }) => name !== 'apiVersion' || !type.isRoot)
  return fc
    .uniqueArray(fc.constantFrom(...fields), { maxLength: 4 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field.name, valueOf(field.type, depth)]))))
}

/** Removes what Go may add or leave out: empty values. */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === 0 || value === false || value === '0' || value === null) return undefined
  if (typeof value !== 'object') return value
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const inner = withoutEmpty(each)
    return inner === undefined ? [] : [[key, inner] as const]
  })
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each) => withoutEmpty(each) ?? 'empty')
  return kept.length === 0 ? undefined : new Map(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns false if the bytes are refused with a ProtobufError; any other error is thrown. */
function isDecoded(decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array): boolean {
  try {
    decode(bytes)
    return true
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    return false
  }
}

describe.each(kinds.map((type) => ({ name: type.modelName, type })))('$name', ({ type }) => {
  const decode = createMessageDecoder(type)

  test('decodes what was encoded, and encodes it to the same bytes', () => {
    fc.assert(
      fc.property(objectOf(type, 6), (object) => {
        const bytes = encodeMessage(type, object)
        const decoded = decode(bytes)
        expect(withoutEmpty(decoded)).toEqual(withoutEmpty(object))
        expect(decode(encodeMessage(type, decoded))).toEqual(decoded)
      }),
      { numRuns: 300 },
    )
  })

  test('skips unknown fields of every wire type', () => {
    const unknown = Buffer.from('f83f01f93f0102030405060708fa3f03616263fb3ffa3f0161fc3ffd3f01020304', 'hex')
    fc.assert(
      fc.property(objectOf(type, 4), (object) => {
        const bytes = encodeMessage(type, object)
        expect(decode(Buffer.concat([unknown, bytes, unknown]))).toEqual(decode(bytes))
      }),
    )
  })

  test('decodes damaged bytes to an object or to a ProtobufError', () => {
    let refused = 0
    fc.assert(
      fc.property(objectOf(type, 5), fc.nat(), fc.integer({ min: 1, max: 255 }), (object, at, change) => {
        const bytes = encodeMessage(type, object)
        const damaged = Buffer.from(bytes)
        if (bytes.length > 0) damaged[at % bytes.length] = ((damaged[at % bytes.length] ?? 0) + change) % 256
        for (const each of [damaged, bytes.subarray(0, at % (bytes.length + 1))]) {
          if (!isDecoded(decode, each)) refused += 1
        }
      }),
      { numRuns: 500 },
    )
    expect(refused).toBeGreaterThan(20)
  })
})

describe('createMessageDecoder', () => {
  const full = {
    metadata: { name: 'web', managedFields: [{ manager: 'x' }], annotations: { a: 'b' } },
    spec: {
      containers: [{ name: 'main', env: [{ name: 'A', value: 'B' }], image: 'i' }],
      initContainers: [{ name: 'init', env: [{ name: 'A' }] }],
    },
  }
  const bytes = encodeMessage(pod, full)

  test('skips the fields that it was told to, through lists', () => {
    const decode = createMessageDecoder(pod, { skips: ['metadata.managedFields', 'spec.containers.env', 'status'] })
    const all = createMessageDecoder(pod)(bytes) as typeof full & { status?: unknown }
    const decoded = decode(bytes)
    expect(Object.keys(decoded)).toEqual(['metadata', 'spec'])
    const { managedFields: _, ...metadata } = all.metadata
    expect(decoded['metadata']).toEqual(metadata)
    const [{ env: __, ...main } = { env: [] }] = all.spec.containers
    expect(decoded['spec']).toEqual({ ...all.spec, containers: [main] })
  })

  test('marks unknown fields where it was told to', () => {
    // The spec has a volume with the name `v` and the field 99.
    const volume = Buffer.from('0a01769a0600', 'hex')
    const spec = Buffer.concat([Buffer.from([0x0a, volume.length]), volume])
    const message = Buffer.concat([Buffer.from([0x12, spec.length]), spec])
    const volumesBy = (marksUnknown: readonly string[]): unknown =>
      (createMessageDecoder(pod, { marksUnknown })(message)['spec'] as Record<string, unknown>)['volumes']
    expect(volumesBy([])).toEqual([{ name: 'v' }])
    expect(volumesBy(['spec.volumes'])).toEqual([{ name: 'v', unknownField99: true }])
  })

  test.for([
    { it: 'a length beyond the end', hex: '0affffffff0f' },
    { it: 'a length of more than 32 bits', hex: '0affffffffff01' },
    { it: 'a number that does not end', hex: '08ffffffffffffffffffff01' },
    { it: 'a field of another wire type', hex: '0801' },
    { it: 'the field number 0', hex: '0001' },
    { it: 'an end of a group without a start', hex: 'fc3f' },
    { it: 'deeply nested groups', hex: 'fb3f'.repeat(10_000) },
    { it: 'a reserved wire type', hex: 'ff3f' },
  ])('refuses $it', ({ hex }) => {
    expect(() => createMessageDecoder(pod)(Buffer.from(hex, 'hex'))).toThrow(ProtobufError)
  })

  test('reads numbers beyond 2^53 as JSON.parse does', () => {
    const decode = createMessageDecoder(pod)
    for (const value of ['9223372036854775807', '-9223372036854775808', '-1', '9007199254740993', '4294967296']) {
      let rest = BigInt.asUintN(64, BigInt(value))
      const varint: number[] = []
      for (; rest >= 0x80n; rest >>= 7n) varint.push(Number(rest & 0x7fn) | 0x80)
      varint.push(Number(rest))
      // metadata.generation has the number 7.
      const message = Buffer.from([0x0a, varint.length + 1, 0x38, ...varint])
      expect((decode(message)['metadata'] as { generation: number }).generation).toBe(JSON.parse(value))
    }
  })

  test('keeps a key named __proto__ as data', () => {
    const labels = JSON.parse('{"__proto__":"x","a":"y"}') as Record<string, string>
    const decoded = createMessageDecoder(pod)(encodeMessage(pod, { metadata: { labels } }))
    expect(JSON.stringify((decoded['metadata'] as { labels: object }).labels)).toBe('{"__proto__":"x","a":"y"}')
  })
})

test('an envelope carries kind and apiVersion', () => {
  const bytes = encodeEnvelope({ type: pod, apiVersion: 'v1', kind: 'Pod' }, { metadata: { name: 'web' } })
  expect(readEnvelope(bytes)).toMatchObject({ apiVersion: 'v1', kind: 'Pod' })
  expect(() => readEnvelope(Buffer.from('{"kind":"Pod"}'))).toThrow(ProtobufError)
  const whole = readEnvelope(bytes).message
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length)
    expect(isDecoded(readEnvelope, cut) && readEnvelope(cut).message.length === whole.length).toBe(false)
  }
})
