import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { node } from '../manifests/manifests.ts'

const DONGLE = 'example.com/dongle'
const NODES = '/api/v1/nodes'
// Controllers add taints and other fields to a node without a kubelet.
const amounts = (body: Json): unknown =>
  body.kind === 'Node' ? { capacity: body.status.capacity, allocatable: body.status.allocatable } : body

/** Returns a case that creates a node with this capacity. */
const createsNode =
  (capacity: object) =>
  ({ name, post }: CaseSession): Promise<unknown> =>
    post(NODES, node(name, capacity), { show: amounts })

/** Returns a case that creates a node, and then patches its status. */
const patchesStatus =
  (type: 'json' | 'merge' | 'strategic', body: unknown, capacity: object = { cpu: '4', [DONGLE]: '2' }) =>
  async ({ name, post, patch }: CaseSession): Promise<void> => {
    await post(NODES, node(name, capacity), { isQuiet: true })
    await patch(type, `${NODES}/${name}/status`, body, { show: amounts })
  }

/** Nodes: extended resources, and the fields that each write may change. */
export const nodes: CaseGroup = caseGroup('node', {
  'capacity-becomes-allocatable': createsNode({ cpu: '4', [DONGLE]: '4' }),
  'amount-as-number': createsNode({ [DONGLE]: 4 }),
  'amount-with-suffix': createsNode({ [DONGLE]: '2k' }),
  'amount-fraction': createsNode({ [DONGLE]: '1500m' }),
  'amount-negative': createsNode({ [DONGLE]: '-1' }),
  'amount-no-quantity': createsNode({ [DONGLE]: 'four' }),
  'amount-beyond-int64': createsNode({ [DONGLE]: '9223372036854775808' }),
  'amount-of-pods-fraction': createsNode({ pods: '1500m' }),
  'name-with-two-slashes': createsNode({ 'example.com/a/b': '1' }),
  'name-without-domain': createsNode({ dongle: '1' }),
  'status-json-patch': patchesStatus('json', [{ op: 'add', path: '/status/capacity/example.com~1dongle', value: '4' }]),
  'status-json-patch-new-resource': patchesStatus('json', [
    { op: 'add', path: '/status/capacity/example.com~1other', value: '4' },
  ]),
  'status-json-patch-without-capacity': patchesStatus(
    'json',
    [{ op: 'add', path: '/status/capacity/example.com~1dongle', value: '4' }],
    {},
  ),
  'status-json-patch-remove': patchesStatus('json', [{ op: 'remove', path: '/status/capacity/example.com~1dongle' }]),
  'status-merge-patch': patchesStatus('merge', {
    status: { capacity: { [DONGLE]: '4' }, allocatable: { [DONGLE]: '3' } },
  }),
  'status-merge-patch-removes': patchesStatus('merge', { status: { capacity: { [DONGLE]: null } } }),
  'status-strategic-patch': patchesStatus('strategic', { status: { capacity: { [DONGLE]: '4' } } }),
  'status-fraction': patchesStatus('merge', { status: { capacity: { [DONGLE]: '500m' } } }),
  'status-negative': patchesStatus('merge', { status: { allocatable: { [DONGLE]: '-4' } } }),
  'status-allocatable-above-capacity': patchesStatus('merge', { status: { allocatable: { [DONGLE]: '8' } } }),
  'status-patch-touches-labels': async ({ name, post, patch }) => {
    await post(NODES, node(name), { isQuiet: true })
    await patch(
      'merge',
      `${NODES}/${name}/status`,
      { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { unschedulable: true } },
      {
        show: ({ metadata, spec }) => ({
          labels: metadata.labels,
          annotation: metadata.annotations.c,
          unschedulable: spec.unschedulable,
        }),
      },
    )
  },
  'main-patch-leaves-status': async ({ name, post, patch }) => {
    await post(NODES, node(name, { cpu: '4' }), { isQuiet: true })
    await patch('merge', `${NODES}/${name}`, { status: { capacity: { [DONGLE]: '4' } } }, { show: amounts })
  },
  'applied-amount': async ({ name, post, patch }) => {
    await post(NODES, node(name, { cpu: '4' }), { isQuiet: true })
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { capacity: { [DONGLE]: '4' } } }
    await patch('apply', `${NODES}/${name}/status?fieldManager=one`, body, { show: amounts })
    await patch(
      'apply',
      `${NODES}/${name}/status?fieldManager=two`,
      { ...body, status: { capacity: { [DONGLE]: '5' } } },
      { show: amounts },
    )
    await patch('apply', `${NODES}/${name}/status?fieldManager=one`, { ...body, status: {} }, { show: amounts })
  },
  'stale-status': async ({ name, post, patch }) => {
    const { body } = await post(NODES, node(name), { isQuiet: true })
    await patch('merge', `${NODES}/${name}/status`, { status: { capacity: { [DONGLE]: '1' } } }, { isQuiet: true })
    const { resourceVersion } = body.metadata
    await patch(
      'merge',
      `${NODES}/${name}/status`,
      { metadata: { resourceVersion }, status: { capacity: { [DONGLE]: '2' } } },
      { show: amounts },
    )
  },
  'taint-wrong': async ({ name, post, patch }) => {
    await post(NODES, node(name), { isQuiet: true })
    await patch('merge', `${NODES}/${name}`, { spec: { taints: [{ key: 'a b', value: 'c d', effect: 'Perhaps' }] } })
  },
  'taint-twice': async ({ name, post, patch }) => {
    await post(NODES, node(name), { isQuiet: true })
    const taint = { key: 'a', value: 'b', effect: 'NoSchedule' }
    await patch('merge', `${NODES}/${name}`, { spec: { taints: [taint, { ...taint, value: 'c' }] } })
  },
  'name-upper-case': ({ post }) => post(NODES, node('Exchange_A')),
  'in-a-namespace': ({ at, get }) => get(at('nodes')),
})
