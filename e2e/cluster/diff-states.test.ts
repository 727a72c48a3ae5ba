import { describe, expect, test } from 'vitest'
import { diffStates, type ClusterState } from './diff-states.ts'

const node = (change: object = {}) => ({
  metadata: { name: 'a', resourceVersion: '1', managedFields: [{ manager: 'kubelet', time: '10:00', fieldsV1: {} }] },
  status: {
    capacity: { cpu: '2' },
    allocatable: { cpu: '2' },
    images: ['x'],
    conditions: [{ lastHeartbeatTime: '10:00' }],
  },
  ...change,
})
const state = (
  objects: Readonly<Record<string, unknown>>,
  files: readonly string[] = ['/r d 0:0 750'],
): ClusterState => ({
  objects: new Map(Object.entries(objects)),
  files: new Map([['a', files]]),
})
const before = state({ ' Node -/a': node() })
const nothingServed: readonly string[] = []

describe('diffStates', () => {
  test('ignores changes of times and versions only', () => {
    const later = node({
      metadata: {
        name: 'a',
        resourceVersion: '9',
        managedFields: [{ manager: 'kubelet', time: '11:00', fieldsV1: { 'f:images': {} } }],
      },
      status: {
        capacity: { cpu: '2' },
        allocatable: { cpu: '2' },
        images: [],
        conditions: [{ lastHeartbeatTime: '11:00' }],
      },
    })
    expect(diffStates(before, state({ ' Node -/a': later }), nothingServed)).toEqual({ differences: [], kept: [] })
  })

  test.for([
    ['an object more', { ' Node -/a': node(), 'rbac ClusterRole -/left': {} }, 'rbac ClusterRole -/left is new'],
    ['an object less', {}, ' Node -/a is gone'],
    [
      'a label',
      { ' Node -/a': node({ metadata: { ...node().metadata, labels: { x: 'y' } } }) },
      ' Node -/a metadata labels: nothing became {"x":"y"}',
    ],
    [
      'a field’s owner',
      { ' Node -/a': node({ metadata: { ...node().metadata, managedFields: [] } }) },
      /managedFields 0: .* became nothing/,
    ],
    [
      'units left on a node',
      { ' Node -/a': node({ status: { ...node().status, capacity: { cpu: '2', 'e.com/x': '4' } } }) },
      ' Node -/a status capacity e.com/x: nothing became "4"',
    ],
  ] as const)('finds %s', ([, objects, sentence]) => {
    expect(diffStates(before, state(objects), nothingServed).differences).toEqual([expect.stringMatching(sentence)])
  })

  test('finds files in plugin directories, and files that are gone', () => {
    const { differences } = diffStates(
      before,
      state({ ' Node -/a': node() }, ['/r/berth d 65532:65532 700']),
      nothingServed,
    )
    expect(differences).toEqual(['a had /r d 0:0 750', 'a has /r/berth d 65532:65532 700'])
  })

  const showing = (capacity: string, allocatable: string, metadata: object = node().metadata): object =>
    node({
      metadata,
      status: {
        ...node().status,
        capacity: { cpu: '2', 'e.com/x': capacity },
        allocatable: { cpu: '2', 'e.com/x': allocatable },
      },
    })
  const onNode = (object: object): ClusterState => state({ ' Node -/a': object })

  test.for([
    ['the capacity, for five minutes', '4', '0', 'a keeps e.com/x 4/0'],
    ['a zero, from then on', '0', '0', 'a keeps e.com/x 0/0'],
  ] as const)(
    'lists separately what the kubelet keeps of a served resource: %s',
    ([, capacity, allocatable, sentence]) => {
      const diff = diffStates(before, onNode(showing(capacity, allocatable)), ['e.com/x'])
      expect(diff).toEqual({ differences: [], kept: [sentence] })
    },
  )

  test('ignores the managed fields of a served resource', () => {
    const managedFields = [{ manager: 'kubelet', time: '11:00', fieldsV1: { 'f:e.com/x': {} } }]
    const now = showing('4', '0', { name: 'a', resourceVersion: '2', managedFields })
    expect(diffStates(before, onNode(now), ['e.com/x']).differences).toEqual([])
    // In a cluster where the kubelet never counted a device before, the field above the name is also new.
    const phase = { 'f:phase': {} }
    const owned = (status: object): object => ({
      name: 'a',
      managedFields: [{ manager: 'kubelet', fieldsV1: { 'f:status': status } }],
    })
    const none = node({ metadata: owned(phase) })
    const first = showing('4', '0', owned({ 'f:capacity': { 'f:e.com/x': {} }, ...phase }))
    expect(diffStates(onNode(none), onNode(first), ['e.com/x']).differences).toEqual([])
  })

  test('also lists a resource that the kubelet already kept before', () => {
    const { differences, kept } = diffStates(onNode(showing('4', '0')), onNode(showing('4', '0')), ['e.com/x'])
    expect({ differences, kept }).toEqual({ differences: [], kept: ['a keeps e.com/x 4/0'] })
  })

  test.for([
    ['zeros of a name that no device plugin served', '0', '0', ['e.com/y']],
    ['a capacity without units of a name that no device plugin served', '4', '0', ['e.com/y']],
    ['units of a name that was served', '4', '4', ['e.com/x']],
    ['one last unit of a name that was served', '0', '1', ['e.com/x']],
  ] as const)('finds %s', ([, capacity, allocatable, served]) => {
    const { differences, kept } = diffStates(before, onNode(showing(capacity, allocatable)), served)
    expect(differences).toEqual([
      ` Node -/a status allocatable e.com/x: nothing became "${allocatable}"`,
      ` Node -/a status capacity e.com/x: nothing became "${capacity}"`,
    ])
    expect(kept).toEqual([])
  })

  test('accepts that the capacity of an earlier plugin becomes zero, and no other change of it', () => {
    const left = onNode(showing('4', '0'))
    expect(diffStates(left, onNode(showing('0', '0')), nothingServed)).toEqual({ differences: [], kept: [] })
    expect(diffStates(left, onNode(showing('3', '0')), nothingServed).differences).toEqual([
      ' Node -/a status capacity e.com/x: "4" became "3"',
    ])
    expect(diffStates(left, onNode(node()), nothingServed).differences).toHaveLength(2)
  })

  test('reports a resource that was offered before and is not offered now, even if it was served', () => {
    const { differences } = diffStates(onNode(showing('4', '4')), onNode(showing('4', '0')), ['e.com/x'])
    expect(differences).toEqual([' Node -/a status allocatable e.com/x: "4" became "0"'])
  })
})
