import { array, assert, asyncProperty, constantFrom, jsonValue, oneof, record } from 'fast-check'
import { expect, test } from 'vitest'
import { readRecording } from './read-recording.ts'
import { recordedFeed } from './recorded-feed.ts'

/** Values that a file may hold where an object, a list or a text is expected. */
const anything = oneof(
  { weight: 1, arbitrary: jsonValue() },
  { weight: 3, arbitrary: constantFrom({}, [], 'x', null, 1) },
)

const object = record({
  apiVersion: oneof(constantFrom('v1'), anything),
  kind: constantFrom('Pod', 'Node'),
  metadata: oneof(
    record({
      name: oneof(constantFrom('a', 'b'), anything),
      uid: anything,
      labels: anything,
      ownerReferences: anything,
    }),
    record({ name: constantFrom('a', 'b') }),
    anything,
  ),
  spec: oneof(
    record({
      containers: oneof(array(oneof(record({ name: anything, resources: anything }), anything)), anything),
      nodeName: oneof(constantFrom('a', 'b'), anything),
      initContainers: anything,
      overhead: anything,
      taints: anything,
    }),
    anything,
  ),
  status: oneof(
    record({ phase: anything, capacity: anything, allocatable: anything, conditions: anything, images: anything }),
    anything,
  ),
})

const event = record({
  requestReceivedTimestamp: constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z', '1970-01-01T00:00:00Z'),
  verb: constantFrom('create', 'update', 'patch', 'delete', 'deletecollection'),
  objectRef: record({
    resource: constantFrom('nodes', 'pods'),
    name: oneof(constantFrom('a', 'b'), anything),
    namespace: oneof(constantFrom('', 'default'), anything),
    subresource: oneof(constantFrom('', 'status', 'binding'), anything),
  }),
  responseStatus: anything,
  requestObject: oneof(object, anything),
  responseObject: oneof(object, anything),
  annotations: anything,
})

test('a recording may hold anything where objects are expected', async () => {
  await assert(
    asyncProperty(array(event, { maxLength: 6 }), async (events) => {
      const recording = await readRecording(events.map((one) => JSON.stringify(one)))
      const feed = recordedFeed(recording)
      const model = feed?.latest()
      expect(feed === undefined).toBe(recording.changes.length === 0)
      for (const { total, cells } of model?.resources ?? []) {
        expect(total.every(Number.isFinite)).toBe(true)
        expect(cells).toHaveLength(model?.nodes.length ?? 0)
      }
    }),
    { numRuns: 500 },
  )
})
