import { createSchema, groupVersions } from '@berth/kube-schema'
import { encodeEnvelope } from '@berth/kube-schema/protobuf'
import { describe, expect, test } from 'vitest'
import { readTypeOf } from '../../encoding/protobuf-kinds.ts'
import { resourceRefs } from '../../api-conventions/resource-ref.ts'
import { inProtobuf, scriptedHandler } from '../../testing.ts'
import { decodeObject, unreadable } from './decode-object.ts'
import { protobufListReader } from './protobuf-list-reader.ts'
import { protobufObjects } from './protobuf-objects.ts'
import { protobufWatchReader } from './protobuf-watch-reader.ts'
import { UndecodableObject } from './stream-reader.ts'

const schema = createSchema([groupVersions.metaV1, groupVersions.coreV1])
const podType = readTypeOf(resourceRefs.pods)
if (podType === undefined) throw new Error('pods are not read in protobuf')
const objects = protobufObjects(podType, { apiVersion: 'v1', kind: 'Pod' })
const pod = (name: string) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default', resourceVersion: '7', labels: { app: 'größe' } },
  spec: { containers: [{ name: 'main', resources: { limits: { 'example.com/dongle': '1' } } }] },
  status: { phase: 'Pending' },
})
const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410, reason: 'Expired' }

/** Returns the bytes that a server sends for a watch of these frames. */
async function watchOf(...frames: readonly (readonly [type: string, object: unknown])[]): Promise<Buffer> {
  const chunks = frames.map(([type, object]) => `${JSON.stringify({ type, object })}\n`)
  const { handle } = scriptedHandler([{ answer: { kind: 'stream', chunks, ending: 'end' } }])
  const headers = { accept: 'application/vnd.kubernetes.protobuf' }
  const { body } = await inProtobuf(handle)({ method: 'GET', path: '/api/v1/pods?watch=1', headers })
  return Buffer.concat(await Array.fromAsync(body))
}

function listOf(items: readonly unknown[]): Buffer {
  const type = schema.type('io.k8s.api.core.v1.PodList')
  if (type === undefined) throw new Error('the schema lacks PodList')
  const metadata = { resourceVersion: '42', continue: 'next' }
  return encodeEnvelope({ type, apiVersion: 'v1', kind: 'PodList' }, { metadata, items })
}

function cutAt(bytes: Buffer, ...cuts: readonly number[]): readonly Buffer[] {
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
}

describe('a watch in protobuf', () => {
  test('is read the same, wherever it is cut', async () => {
    const bytes = await watchOf(['ADDED', pod('a')], ['BOOKMARK', pod('')], ['DELETED', pod('b')], ['ERROR', status])
    const read = (chunks: readonly Buffer[]): readonly unknown[] => {
      const reader = protobufWatchReader(objects)
      return chunks.flatMap((chunk) => reader.push(chunk)).map((frame) => reader.parse(frame))
    }
    const whole = read([bytes])
    expect(whole).toHaveLength(4)
    expect(whole[0]).toMatchObject({ type: 'ADDED', object: pod('a') })
    expect(whole[3]).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    for (let at = 0; at <= bytes.length; at++) expect(read(cutAt(bytes, at))).toEqual(whole)
    expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole)
  })

  test('refuses a frame of a length that no object has', () => {
    expect(() => protobufWatchReader(objects).push(Buffer.from('ffffffff0a', 'hex'))).toThrow('larger than')
  })

  test.for([
    { it: 'a frame without a type', hex: '' },
    { it: 'a frame of an unknown type', hex: '0a0158' },
    { it: 'a frame that ends early', hex: '0a05414444' },
    { it: 'a frame of another wire type', hex: '0f' },
  ])('does not trust the stream after $it', ({ hex }) => {
    expect(protobufWatchReader(objects).parse(Buffer.from(hex, 'hex'))).toBeUndefined()
  })

  test.for([
    { it: 'is not in an envelope', object: '7b7d' },
    { it: 'is of another kind', object: '6b3873000a0a0a02763112044e6f6465' },
    { it: 'is damaged', object: '6b3873000a090a0276311203506f6412020001' },
  ])('an object that $it does not affect the others', async ({ object }) => {
    const [before, after] = [await watchOf(['ADDED', pod('a')]), await watchOf(['ADDED', pod('b')])]
    const bytes = Buffer.from(object, 'hex')
    const event = Buffer.concat([
      Buffer.from('0a0541444445440a05414444454412', 'hex').subarray(0, 7),
      Buffer.from([0x12, bytes.length + 2, 0x0a, bytes.length]),
      bytes,
    ])
    const frame = Buffer.concat([Buffer.from([0, 0, 0, event.length]), event])
    const reader = protobufWatchReader(objects)
    const frames = reader.push(Buffer.concat([before, frame, after])).map((each) => reader.parse(each))
    expect(frames.map((each) => each?.type)).toEqual(['ADDED', 'ADDED', 'ADDED'])
    expect(frames[1]?.object).toBeInstanceOf(UndecodableObject)
    expect([frames[0]?.object, frames[2]?.object]).toMatchObject([pod('a'), pod('b')])
  })
})

describe('a list in protobuf', () => {
  const items = [pod('a'), pod('b'), { ...pod('c'), metadata: { name: 'c', uid: 'x'.repeat(300) } }]
  const bytes = listOf(items)
  const read = (chunks: readonly Buffer[]): unknown => {
    const reader = protobufListReader(objects)
    const found = chunks.flatMap((chunk) => reader.push(chunk)).map((item) => reader.parse(item))
    return { found, metadata: reader.metadata() }
  }

  test('is read the same, wherever it is cut', () => {
    const whole = read([bytes])
    expect(whole).toMatchObject({ found: items, metadata: { resourceVersion: '42', continue: 'next' } })
    for (let at = 0; at <= bytes.length; at++) expect(read(cutAt(bytes, at))).toEqual(whole)
    expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole)
  })

  test('is not complete before its last byte', () => {
    for (let length = 0; length < bytes.length; length++)
      expect(() => read([bytes.subarray(0, length)])).toThrow('the list ended early')
  })

  test('without items is empty', () => {
    expect(read([listOf([])])).toEqual({ found: [], metadata: { resourceVersion: '42', continue: 'next' } })
  })

  test.for([
    { it: 'text', hex: Buffer.from('<html>').toString('hex'), reason: 'the prefix "k8s"' },
    { it: 'an item larger than the list', hex: '6b387300120312ff01', reason: 'exceeds its list' },
    { it: 'an item of four gigabytes', hex: '6b38730012ffffffff0f12f0ffffff0f', reason: 'larger than 67108864 bytes' },
    { it: 'a length of more than 32 bits', hex: '6b387300ffffffffffffffffffff0112', reason: 'larger than 32 bits' },
    { it: 'a field that is a number', hex: '6b387300120408011001', reason: 'has the wire type 0' },
  ])('is refused: $it', ({ hex, reason }) => {
    expect(() => protobufListReader(objects).push(Buffer.from(hex, 'hex'))).toThrow(reason)
  })
})

test('an object that cannot be decoded is known by its metadata, if they can be', () => {
  const metadata = Buffer.from('0a0c0a01611a0764656661756c74', 'hex')
  const damagedSpec = Buffer.from('12020001', 'hex')
  const object = objects.decode(Buffer.concat([metadata, damagedSpec]))
  expect(object).toBeInstanceOf(UndecodableObject)
  const { partial, cause } = object as UndecodableObject
  expect(unreadable(partial, cause)).toMatchObject({ kind: 'unreadable', key: 'default/a', cause })
  expect(unreadable(undefined, cause)).toMatchObject({ kind: 'unreadable', key: undefined })
  expect(decodeObject(objects.decode(metadata), (one) => one)).toMatchObject({ kind: 'decoded', key: 'default/a' })
})
