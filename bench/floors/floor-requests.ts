import { createSchema, groupVersions, type ObjectType } from '@berth/kube-schema'
import { encodeEnvelope } from '@berth/kube-schema/protobuf'
import type { FloorEncoding } from './floor-case.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const JSON_TYPE = 'application/json'
const schema = createSchema([groupVersions.metaV1, groupVersions.coreV1, groupVersions.eventsV1])

/** Encodes the two requests that place a pod. */
export interface FloorRequests {
  readonly contentType: string
  binding(pod: string, node: string): Uint8Array
  event(pod: string, node: string): Uint8Array
}

const encoders: Readonly<Record<FloorEncoding, (apiVersion: string, kind: string) => (object: object) => Uint8Array>> =
  {
    JSON: (apiVersion, kind) => (object) => Buffer.from(JSON.stringify({ apiVersion, kind, ...object })),
    protobuf: (apiVersion, kind) => {
      const encoded = { apiVersion, kind, type: typeOf(apiVersion, kind) }
      return (object) => encodeEnvelope(encoded, object)
    },
  }

/** Returns the requests in an encoding. */
export function floorRequests(encoding: FloorEncoding): FloorRequests {
  const encodeBinding = encoders[encoding]('v1', 'Binding')
  const encodeEvent = encoders[encoding]('events.k8s.io/v1', 'Event')
  return {
    contentType: encoding === 'JSON' ? JSON_TYPE : PROTOBUF,
    binding: (name, node) =>
      encodeBinding({ metadata: { namespace: 'default', name }, target: { kind: 'Node', name: node } }),
    event: (name, node) =>
      encodeEvent({
        metadata: { namespace: 'default', name: `${name}.18a5f3c2b1e0d4f7` },
        eventTime: new Date().toISOString().replace('Z', '000Z'),
        reportingController: 'floor',
        reportingInstance: 'floor',
        action: 'Binding',
        reason: 'Scheduled',
        type: 'Normal',
        note: `Successfully assigned default/${name} to ${node}`,
        regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name },
      }),
  }
}

function typeOf(apiVersion: string, kind: string): ObjectType {
  const found = schema.kind(apiVersion, kind)
  if (found === undefined) throw new Error(`the schema lacks ${apiVersion} ${kind}`)
  return found.type
}
