import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, test } from 'vitest'
import { createTestServer } from '../testing.ts'
import { decode, DecodeError } from './decode.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import type { JsonObject } from './json/json-object.ts'
import { typeOfKind } from './built-in-types.ts'
import definition from './fixtures/custom-resource-definition.json' with { type: 'json' }

describe('decode', () => {
  const pod = typeOfKind('v1', 'Pod')
  const spec = (fields: object): unknown => decode(pod, { spec: fields }).value['spec']

  test('drops nulls and unknown fields, and formats quantities as upstream', () => {
    const { value, unknownFields } = decode(pod, {
      kind: 'Pod',
      extra: 1,
      spec: { nodeName: null, overhead: { cpu: 0.5 }, containers: [{ nme: 'x' }] },
    })
    expect(value).toEqual({ kind: 'Pod', spec: { overhead: { cpu: '500m' }, containers: [{}] } })
    expect(unknownFields).toEqual(['extra', 'spec.containers[0].nme'])
  })

  test.for([
    [{ containers: {} }, 'cannot unmarshal object into Go struct field PodSpec.spec.containers of type slice'],
    [{ affinity: 'x' }, 'PodSpec.spec.affinity of type Affinity'],
    [{ nodeSelector: [] }, 'cannot unmarshal array into Go struct field PodSpec.spec.nodeSelector of type map'],
    [{ nodeSelector: { a: 1 } }, 'cannot unmarshal number'],
    [{ hostNetwork: 'yes' }, 'of type bool'],
    [{ priority: 1.5 }, 'of type int32'],
    [{ overhead: { cpu: true } }, 'quantities must match'],
    [{ overhead: { cpu: 'x' } }, 'quantities must match'],
  ] as const)('refuses %o: %s', ([fields, message]) => {
    expect(() => spec(fields)).toThrow(DecodeError)
    expect(() => spec(fields)).toThrow(message)
  })

  test('refuses invalid times', () => {
    expect(() => decode(pod, { metadata: { creationTimestamp: 'soon' } })).toThrow('parsing time "soon"')
    expect(() => decode(pod, { metadata: { creationTimestamp: 5 } })).toThrow('of type time.Time')
  })
})

/** The fields of a message to encode: `[number, value]`. A list as the value is a nested message. */
type Message = readonly (readonly [number, string | number | bigint | boolean | Uint8Array | Message])[]

function encode(message: Message): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of message) {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value)
    else if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value)
    else if (typeof value === 'number' || typeof value === 'bigint') writer.tag(number, WireType.Varint).int64(value)
    else writer.tag(number, WireType.LengthDelimited).bytes(value instanceof Uint8Array ? value : encode(value))
  }
  return writer.finish()
}

function envelope(apiVersion: string, kind: string, object: Message): Uint8Array {
  const unknown = encode([
    [
      1,
      [
        [1, apiVersion],
        [2, kind],
      ],
    ],
    [2, encode(object)],
  ])
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...unknown])
}

describe('decodeProtobuf', () => {
  const container: Message = [
    [1, 'c'],
    [2, 'nginx'],
    [
      6,
      [
        [1, ''],
        [3, 8080],
      ],
    ],
    [
      8,
      [
        [
          1,
          [
            [1, 'example.com/dongle'],
            [2, [[1, '3']]],
          ],
        ],
      ],
    ],
    [18, false],
  ]
  const pod: Message = [
    [
      1,
      [
        [1, 'p'],
        [3, ''],
        [8, [[1, 0n]]],
        [
          11,
          [
            [1, 'app'],
            [2, 'web'],
          ],
        ],
        [14, 'example.com/hold'],
      ],
    ],
    [
      2,
      [
        [
          1,
          [
            [1, 'v'],
            [2, [[2, []]]],
          ],
        ],
        [2, container],
        [4, 0],
        [10, ''],
        [
          22,
          [
            [1, 'k'],
            [4, 'NoExecute'],
            [5, 0],
          ],
        ],
      ],
    ],
  ]

  test('decodes a pod to the JSON that Go would write', () => {
    expect(decodeProtobuf(envelope('v1', 'Pod', pod))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      value: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', labels: { app: 'web' }, finalizers: ['example.com/hold'] },
        spec: {
          volumes: [{ name: 'v', emptyDir: {} }],
          containers: [
            {
              name: 'c',
              image: 'nginx',
              ports: [{ containerPort: 8080 }],
              resources: { limits: { 'example.com/dongle': '3' } },
            },
          ],
          terminationGracePeriodSeconds: 0,
          tolerations: [{ key: 'k', effect: 'NoExecute', tolerationSeconds: 0 }],
        },
      },
    })
  })

  test('decodes times, int-or-string values and packed lists', () => {
    const lease: Message = [
      [1, [[1, 'l']]],
      [
        2,
        [
          [1, 'me'],
          [2, 15],
          [
            4,
            [
              [1, 1_767_225_600n],
              [2, 5_000n],
            ],
          ],
        ],
      ],
    ]
    expect(decodeProtobuf(envelope('coordination.k8s.io/v1', 'Lease', lease)).value['spec']).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-01T00:00:00.000005Z',
    })
    const budget: Message = [
      [
        2,
        [
          [
            1,
            [
              [1, 1],
              [3, '50%'],
            ],
          ],
          [
            3,
            [
              [1, 0],
              [2, 1],
            ],
          ],
        ],
      ],
    ]
    expect(decodeProtobuf(envelope('policy/v1', 'PodDisruptionBudget', budget)).value['spec']).toEqual({
      minAvailable: '50%',
      maxUnavailable: 1,
    })
    const packed: Message = [
      [
        2,
        [
          [
            14,
            [
              [4, Uint8Array.from([1, 2])],
              [4, 3],
            ],
          ],
        ],
      ],
    ]
    expect(decodeProtobuf(envelope('v1', 'Pod', packed)).value).toMatchObject({
      spec: { securityContext: { supplementalGroups: [1, 2, 3] } },
    })
  })

  test('decodes a CustomResourceDefinition as client-go sends it, with every form of a schema', async () => {
    const bytes = Buffer.from(definition.protobuf, 'base64')
    const { value } = decodeProtobuf(bytes)
    expect(value['spec']).toEqual(definition.json.spec)
    const type = typeOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    expect(decode(type, definition.json)).toEqual({ value: definition.json, unknownFields: [] })
    const server = createTestServer()
    const response = await server.handle({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' },
      body: bytes,
    })
    let text = ''
    for await (const chunk of response.body) text += Buffer.from(chunk).toString()
    // The schema is decoded: the server only refuses the parts that a structural schema cannot have.
    expect(text).not.toContain('openAPIV3Schema: Required value')
    expect(JSON.parse(text)).toMatchObject({ code: 422, reason: 'Invalid' })
  })

  test('drops unknown fields below a schema without reporting them, as upstream does', () => {
    const type = typeOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    const schema = (properties: object): object => ({
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { properties } } }] },
    })
    const sent = { list: { items: { type: 'string', typ: 1 } }, map: { additionalProperties: { tpye: 1 } } }
    const { value, unknownFields } = decode(type, schema({ ...sent, known: { typ: 'string' } }) as JsonObject)
    expect(value).toEqual(schema({ list: { items: { type: 'string' } }, map: { additionalProperties: {} }, known: {} }))
    expect(unknownFields).toEqual(['spec.versions[0].schema.openAPIV3Schema.properties.known.typ'])
    expect(() => decode(type, schema({ map: { additionalProperties: 1 } }) as JsonObject)).toThrow(
      'boolean or JSON schema expected',
    )
  })

  test('refuses bytes that are not an object of a known kind', () => {
    expect(() => decodeProtobuf(new Uint8Array([1]))).toThrow('does not appear to be a protobuf message')
    expect(() => decodeProtobuf(envelope('v1', 'Unicorn', []))).toThrow('no kind "Unicorn" is registered')
  })

  test('is accepted as the body of a request', async () => {
    const server = createTestServer()
    const response = await server.handle({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      headers: {
        'content-type': 'application/vnd.kubernetes.protobuf',
        accept: 'application/vnd.kubernetes.protobuf,application/json',
      },
      body: envelope('v1', 'Pod', pod),
    })
    expect(response.status).toBe(201)
    const broken = await server.call('POST', '/api/v1/namespaces/default/pods', {
      contentType: 'application/vnd.kubernetes.protobuf',
      body: 'x',
    })
    expect(broken.status).toBe(400)
  })
})
