import { createSchema, groupVersions, type ObjectType } from '@berth/kube-schema'
import { createMessageDecoder, encodeEnvelope, encodeMessage, readEnvelope } from '@berth/kube-schema/protobuf'
import { isRecord, type ApiHandler, type ApiRequest, type ApiResponse } from '@berth/types'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const schema = createSchema([groupVersions.metaV1, groupVersions.coreV1, groupVersions.eventsV1])
/** A message that no decoder accepts: a field with the number 0. */
const DAMAGED = Uint8Array.of(0, 0)

/**
 * Wraps a server that only supports JSON, so that it reads and responds in protobuf where the client requests it.
 * Invalid JSON from the server becomes invalid protobuf, so that tests inject the same faults in both encodings.
 */
export function inProtobuf(handler: ApiHandler): ApiHandler {
  return async (request) => {
    const { headers } = request
    const decoded = headers['content-type'] === PROTOBUF ? withJsonBody(request) : request
    const response = await handler(decoded)
    return headers['accept']?.startsWith(PROTOBUF) === true ? encoded(request, response) : response
  }
}

function withJsonBody(request: ApiRequest): ApiRequest {
  const { apiVersion, kind, message } = readEnvelope(request.body ?? DAMAGED)
  const object = createMessageDecoder(typeOf(apiVersion, kind), { fillsEmpty: false })(message)
  const headers = { ...request.headers, 'content-type': 'application/json' }
  return { ...request, headers, body: Buffer.from(JSON.stringify({ apiVersion, kind, ...object })) }
}

function encoded({ path }: ApiRequest, response: ApiResponse): ApiResponse {
  const isWatch = /[?&]watch=/.test(path) && response.status < 400
  const contentType = isWatch ? `${PROTOBUF};stream=watch` : PROTOBUF
  const body = isWatch ? watchInProtobuf(response.body) : objectInProtobuf(response.body)
  return { ...response, headers: { ...response.headers, 'content-type': contentType }, body }
}

async function* watchInProtobuf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = ''
  const decoder = new TextDecoder()
  const started = (): Uint8Array => Buffer.concat([lengthOf(rest.length + 1), Buffer.from(rest)])
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      const frames = Buffer.concat(lines.filter((line) => line.trim() !== '').map((line) => frameOf(line)))
      // Small chunks stay small.
      const size = chunk.length < 16 ? chunk.length : Math.max(1, frames.length)
      for (let at = 0; at < frames.length; at += size) yield frames.subarray(at, at + size)
      // The client must see that something arrived.
      if (frames.length === 0) yield new Uint8Array()
    }
  } finally {
    if (rest !== '') yield started()
  }
}

/** Encodes a frame; one that is not valid stays invalid. */
function frameOf(line: string): Buffer {
  const frame = parsed(line)
  const { type, object } = isRecord(frame) ? frame : {}
  const raw = encodeMessage(typeOf('meta.k8s.io/v1', 'WatchEvent'), { type: String(type) })
  const bytes = frame === undefined ? DAMAGED : Buffer.concat([raw, field(2, field(1, envelopeOf(object)))])
  return Buffer.concat([lengthOf(bytes.length), bytes])
}

async function* objectInProtobuf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  const encodedBody = (): Buffer => {
    const object = parsed(Buffer.concat(chunks).toString())
    return object === undefined ? Buffer.from(DAMAGED) : envelopeOf(object)
  }
  for await (const chunk of body) {
    chunks.push(chunk)
    yield new Uint8Array()
  }
  const bytes = encodedBody()
  const size = (chunks[0]?.length ?? 0) < 16 ? 7 : bytes.length
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Encodes an object in its envelope. Objects without a kind are pods. */
function envelopeOf(object: unknown): Buffer {
  const { apiVersion = 'v1', kind = 'Pod' } = (isRecord(object) ? object : {}) as { apiVersion?: string; kind?: string }
  const type = typeOf(apiVersion, kind === 'List' ? 'PodList' : kind)
  try {
    return encodeEnvelope({ type, apiVersion, kind }, object as object)
  } catch {
    return Buffer.concat([
      Buffer.from('k8s\0'),
      field(1, Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))])),
      field(2, DAMAGED),
    ])
  }
}

function typeOf(apiVersion: string, kind: string): ObjectType {
  const found = schema.kind(apiVersion, kind) ?? schema.kind('meta.k8s.io/v1', kind)
  if (found === undefined) throw new Error(`the schema lacks ${apiVersion} ${kind}`)
  return found.type
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function field(number: number, bytes: Uint8Array): Buffer {
  const length: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length, rest]), bytes])
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}
