import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../test/builders.ts'
import { createFramework, defaultPlugins, explain, type Framework } from '../index.ts'
import { createClusterState } from '../state/create-cluster-state.ts'

interface Case {
  readonly it: string
  readonly pod: Partial<Pod['spec']>
  readonly node?: Partial<Node>
  readonly placed?: readonly Pod[]
  readonly objects?: (state: ReturnType<typeof createClusterState>) => void
  readonly profile?: Framework
  readonly causes: readonly string[]
}

const labelled = (labels: Record<string, string>): Partial<Node> => ({ metadata: { labels } })
const web = (name: string, nodeName: string, spec: Partial<Pod['spec']> = {}): Pod => {
  const bound = boundPod(name, nodeName, {}, spec)
  return { ...bound, metadata: { ...bound.metadata, labels: { app: 'web' } } }
}
const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' }
const required = <T>(terms: T): { requiredDuringSchedulingIgnoredDuringExecution: T } => ({
  requiredDuringSchedulingIgnoredDuringExecution: terms,
})
const nodeTerms = (...nodeSelectorTerms: readonly object[]) => ({
  affinity: { nodeAffinity: required({ nodeSelectorTerms }) },
})
const spread = { ...term, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }
const port = (hostPort: number, more: object = {}) => ({
  containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort, ...more }] }],
})
const disk = { volumes: [{ name: 'data', gcePersistentDisk: { pdName: 'pd-1' } }] } as Partial<Pod['spec']>
const claimOf = (claimName: string): Partial<Pod['spec']> => ({
  volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
})
const enforced = createFramework({
  plugins: defaultPlugins({
    NodeAffinity: {
      addedAffinity: required({
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['batch'] }] }],
      }),
    },
  }),
})

const cases: readonly Case[] = [
  {
    it: 'each taint that is not tolerated',
    pod: { tolerations: [{ key: 'b', operator: 'Exists' }] },
    node: {
      spec: {
        taints: [
          { key: 'a', value: '1', effect: 'NoSchedule' },
          { key: 'b', effect: 'NoExecute' },
          { key: 'c', effect: 'NoExecute' },
          { key: 'd', effect: 'PreferNoSchedule' },
        ],
      },
    },
    causes: ['The pod does not tolerate the taint a=1:NoSchedule.', 'The pod does not tolerate the taint c:NoExecute.'],
  },
  {
    it: 'a cordoned node',
    pod: {},
    node: { spec: { unschedulable: true } },
    causes: ['The node is cordoned (spec.unschedulable is true).'],
  },
  {
    it: 'the label of a nodeSelector, and the value on the node',
    pod: { nodeSelector: { disk: 'ssd', zone: 'z1' } },
    node: labelled({ disk: 'hdd' }),
    causes: [
      'The nodeSelector of the pod requires disk=ssd; the node has disk=hdd.',
      'The nodeSelector of the pod requires zone=z1; the node has no label zone.',
    ],
  },
  {
    it: 'what each node affinity term lacks',
    pod: nodeTerms(
      {
        matchExpressions: [
          { key: 'disk', operator: 'In', values: ['ssd', 'nvme'] },
          { key: 'zone', operator: 'Exists' },
        ],
      },
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['other'] }] },
      {},
      { matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['many'] }] },
    ),
    node: labelled({ disk: 'hdd', zone: 'z1' }),
    causes: [
      'Node affinity term 1 of 4 requires disk in (ssd, nvme); the node has disk=hdd.',
      'Node affinity term 2 of 4 requires metadata.name in (other).',
      'Node affinity term 3 of 4 is empty, and an empty term matches no node.',
      expect.stringMatching(/^Node affinity term 4 of 4 is not valid \(.*whole number.*\), so it matches no node\.$/),
    ],
  },
  {
    it: 'an affinity that the profile adds',
    pod: {},
    profile: enforced,
    causes: ["The scheduler's profile allows only nodes with pool in (batch); the node has no label pool."],
  },
  {
    it: 'a pod affinity term without a pod in the domain, and where there are some',
    pod: { affinity: { podAffinity: required([term]) } },
    node: labelled({ zone: 'z1' }),
    placed: [web('w', 'far')],
    causes: ['Pod affinity term 1 (pods with app=web, within zone): no such pod runs in zone=z1; they run in z9.'],
  },
  {
    it: 'a pod affinity term whose topology key the node lacks',
    pod: { affinity: { podAffinity: required([term]) } },
    causes: ['Pod affinity term 1 (pods with app=web, within zone): the node has no label zone.'],
  },
  {
    it: 'the pods that an anti-affinity term rejects',
    pod: {
      affinity: { podAntiAffinity: required([{ ...term, labelSelector: { matchLabels: { app: 'db' } } }, term]) },
    },
    node: labelled({ zone: 'z1' }),
    placed: [web('w', 'a')],
    causes: ['Pod anti-affinity term 2 (pods with app=web, within zone): default/w runs in zone=z1.'],
  },
  {
    it: 'the pod whose anti-affinity keeps the pod away',
    pod: {},
    node: labelled({ zone: 'z1' }),
    placed: [
      web('guard', 'a', { affinity: { podAntiAffinity: required([{ ...term, labelSelector: {} }]) } }),
      web('elsewhere', 'far', { affinity: { podAntiAffinity: required([{ ...term, labelSelector: {} }]) } }),
    ],
    causes: ['The anti-affinity of default/guard, in zone=z1, keeps the pod away.'],
  },
  {
    it: 'the counts of a spread constraint',
    pod: { topologySpreadConstraints: [spread] },
    node: labelled({ zone: 'z1' }),
    placed: [web('w1', 'a'), web('w2', 'a')],
    causes: [
      'Spread constraint over zone of pods with app=web: zone=z1 has 2 matching pods and the domain with the fewest has 0; the skew with this pod would be 2, and maxSkew is 1.',
    ],
  },
  {
    it: 'minDomains of a spread constraint',
    pod: { topologySpreadConstraints: [{ ...spread, minDomains: 3 }] },
    node: labelled({ zone: 'z1' }),
    placed: [web('w1', 'a'), web('w2', 'a'), web('w3', 'far')],
    causes: [
      'Spread constraint over zone of pods with app=web: zone=z1 has 2 matching pods and there are 2 domains and minDomains is 3, so the fewest count as 0; the skew with this pod would be 2, and maxSkew is 1.',
    ],
  },
  {
    it: 'the label that a spread constraint needs',
    pod: { topologySpreadConstraints: [spread] },
    causes: ['Spread constraint over zone of pods with app=web: the node has no label zone.'],
  },
  {
    it: 'a host port in use, and the pod that uses it',
    pod: port(8080, { hostIP: '10.0.0.1', protocol: 'UDP' }),
    placed: [web('w', 'a', port(8080, { protocol: 'UDP' }))],
    causes: ['Host port 10.0.0.1:8080/UDP is in use by pod default/w.'],
  },
  {
    it: 'a disk that another pod uses',
    pod: disk,
    placed: [web('w', 'a', disk)],
    causes: ['Volume data of pod default/w is a disk that the pod also uses; it cannot be shared.'],
  },
  {
    it: 'a ReadWriteOncePod claim in use',
    pod: claimOf('c'),
    placed: [web('w', 'a', claimOf('c'))],
    objects: ({ objects }) =>
      objects.set('persistentVolumeClaims', {
        metadata: { name: 'c', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        spec: { accessModes: ['ReadWriteOncePod'], volumeName: 'pv' },
      }),
    causes: ['Claim c has the access mode ReadWriteOncePod, and default/w uses it.'],
  },
  {
    it: 'the limit of a CSI driver',
    pod: claimOf('b'),
    placed: [web('w', 'a', claimOf('c'))],
    objects: ({ objects }) => {
      for (const name of ['b', 'c']) {
        objects.set('persistentVolumeClaims', {
          metadata: { name, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
          spec: { accessModes: ['ReadWriteOnce'], volumeName: name },
        })
        objects.set('persistentVolumes', {
          metadata: { name },
          spec: { csi: { driver: 'd.example', volumeHandle: name } },
        })
      }
      objects.set('csiNodes', {
        metadata: { name: 'a' },
        spec: { drivers: [{ name: 'd.example', nodeID: 'a', allocatable: { count: 1 } }] },
      })
    },
    causes: ['CSI driver d.example attaches at most 1 volumes to the node: 1 are in use and the pod adds 1.'],
  },
  {
    it: 'the number of pods',
    pod: {},
    node: { status: { allocatable: { pods: '1', cpu: '8', memory: '1Gi' } } },
    placed: [web('w', 'a')],
    causes: ['The node accepts 1 pods and has 1.'],
  },
  {
    it: 'a feature that the node does not declare',
    pod: { hostNetwork: true, hostUsers: false },
    causes: ['The node does not declare the feature UserNamespacesHostNetworkSupport, which the pod needs.'],
  },
]

describe('the causes of a node', () => {
  test.for(cases)('name $it', ({ pod: spec, node: more = {}, placed = [], objects, profile = framework, causes }) => {
    const state = createClusterState()
    const plain = node('a', {})
    state.setNode({ ...plain, ...more, metadata: { name: 'a', ...more.metadata } })
    state.setNode({ ...plain, metadata: { name: 'far', labels: { zone: 'z9' } } })
    for (const other of placed) state.setPod(other)
    objects?.(state)
    const { nodes } = explain(profile, state, pod('p', {}, spec), input)
    const a = nodes.find((one) => one.node === 'a')
    expect(a?.verdict.kind).not.toBe('fits')
    const volumeFilters = new Set(['VolumeBinding', 'VolumeZone'])
    expect(a?.causes.filter(({ plugin }) => !volumeFilters.has(plugin)).map(({ sentence }) => sentence)).toEqual(causes)
  })

  test('are not there for a node that the pod fits', () => {
    const state = createClusterState()
    state.setNode(node('a', {}))
    expect(explain(framework, state, pod('p', {}), input).nodes[0]?.causes).toEqual([])
  })
})

test('a filter that fails on the pod does not end the explanation', () => {
  const state = createClusterState()
  state.setNode(node('a', {}))
  const invalid = { ...spread, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Wrong' }] } }
  const asker = pod('p', {}, { ...claimOf('nowhere'), topologySpreadConstraints: [invalid] })
  const { nodes, decision } = explain(framework, state, asker, input)
  expect(decision.message).toContain('persistentvolumeclaim "nowhere" not found')
  expect(nodes[0]?.causes).toEqual([])
})

describe('fixes', () => {
  test('drop a host port that is in use', () => {
    const state = createClusterState()
    state.setNode(node('a', {}))
    state.setPod(web('w', 'a', port(8080)))
    const { fixes } = explain(framework, state, pod('p', {}, port(8080)), input)
    expect(fixes.find(({ kind }) => kind === 'relax-rule')).toMatchObject({
      field: 'spec.containers[0].ports[0].hostPort',
    })
  })

  test.for([
    { owner: undefined, kinds: ['evict', 'add-capacity'] },
    { owner: { kind: 'ReplicaSet', controller: true }, kinds: ['add-capacity'] },
    { owner: { kind: 'Job', controller: true }, kinds: ['add-capacity'] },
    { owner: { kind: 'ConfigMap', controller: false }, kinds: ['evict', 'add-capacity'] },
  ])('delete no pod that its controller recreates ($owner.kind)', ({ owner, kinds }) => {
    const state = createClusterState()
    state.setNode(node('a', { 'example.com/key': '1' }))
    const holder = boundPod('h', 'a', { 'example.com/key': '1' })
    const ownerReferences = owner === undefined ? [] : [{ apiVersion: 'v1', name: 'o', uid: 'o', ...owner }]
    state.setPod({ ...holder, metadata: { ...holder.metadata, ownerReferences } })
    const { fixes } = explain(framework, state, pod('p', { 'example.com/key': '1' }), input)
    expect(fixes.map(({ kind }) => kind)).toEqual(kinds)
  })
})
