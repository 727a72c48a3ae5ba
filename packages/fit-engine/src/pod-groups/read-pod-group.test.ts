import { expect, test } from 'vitest'
import { readPodGroup } from './read-pod-group.ts'

const metadata = { namespace: 'team', name: 'train', managedFields: [{}] }

test.for([
  { it: 'a gang', schedulingPolicy: { gang: { minCount: 4 } }, minCount: 4 },
  { it: 'the basic policy', schedulingPolicy: { basic: {} }, minCount: 0 },
])('reads $it of scheduling.k8s.io', ({ schedulingPolicy, minCount }) => {
  const group = readPodGroup({ metadata, spec: { schedulingPolicy } } as never, 'scheduling.k8s.io', 'v1alpha2')
  expect(group).toEqual({
    ref: { api: 'scheduling.k8s.io', namespace: 'team', name: 'train' },
    version: 'v1alpha2',
    metadata: { namespace: 'team', name: 'train' },
    minCount,
    minResources: {},
    timeoutMs: 300_000,
    unsupported: [],
    conditions: [],
  })
})

test.for([
  { spec: { minMember: 3, scheduleTimeoutSeconds: 10 }, minCount: 3, timeoutMs: 10_000 },
  { spec: { minMember: 3 }, minCount: 3, timeoutMs: 60_000 },
  { spec: {}, minCount: 0, timeoutMs: 60_000 },
])('reads the group $spec of scheduler-plugins', ({ spec, minCount, timeoutMs }) => {
  const group = readPodGroup({ metadata, spec } as never, 'scheduling.x-k8s.io', 'v1alpha1')
  expect(group).toMatchObject({ minCount, timeoutMs, unsupported: [] })
})

const gang = { schedulingPolicy: { gang: { minCount: 1 } } }
test.for([
  { field: 'schedulingConstraints', value: { topology: [{ key: 'zone' }] } },
  { field: 'resourceClaims', value: [{ name: 'gpu' }] },
  { field: 'disruptionMode', value: 'PodGroup' },
  { field: 'disruptionMode', value: { all: {} } },
  { field: 'parentCompositePodGroupName', value: 'parent' },
])('names the field $field with the value $value as not implemented', ({ field, value }) => {
  const group = readPodGroup({ metadata, spec: { ...gang, [field]: value } } as never, 'scheduling.k8s.io', 'v1beta1')
  expect(group.unsupported).toEqual([expect.stringContaining(`spec.${field}: `)])
})

test.for([
  { field: 'disruptionMode', value: 'Pod' },
  { field: 'disruptionMode', value: { single: {} } },
  { field: 'resourceClaims', value: [] },
  { field: 'schedulingConstraints', value: null },
])('accepts the field $field with the value $value', ({ field, value }) => {
  const group = readPodGroup({ metadata, spec: { ...gang, [field]: value } } as never, 'scheduling.k8s.io', 'v1beta1')
  expect(group.unsupported).toEqual([])
})

test.for([
  { it: 'no spec', spec: undefined, says: 'spec is missing' },
  { it: 'no policy', spec: {}, says: 'spec.schedulingPolicy is missing' },
  { it: 'an unknown policy', spec: { schedulingPolicy: { other: {} } }, says: 'names neither gang nor basic' },
  { it: 'a minCount of 0', spec: { schedulingPolicy: { gang: { minCount: 0 } } }, says: 'at least 1' },
  {
    it: 'a minCount that is text',
    spec: { schedulingPolicy: { gang: { minCount: '3' } } },
    says: 'not a whole number',
  },
])('refuses a group with $it, and names the group', ({ spec, says }) => {
  const read = (): unknown => readPodGroup({ metadata, spec } as never, 'scheduling.k8s.io', 'v1alpha2')
  expect(read).toThrow('read podgroup team/train: ')
  expect(read).toThrow(says)
})
