import type { ClusterChange, ObjectChange } from '@berth/cluster-view'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createIsHelpedBy } from './is-helped-by.ts'
import type { QueuedPodInfo } from './queued-pod.ts'
import { EXTENDER_REJECTOR, UNSUPPORTED_REJECTOR } from './rejectors.ts'

const isHelpedBy = createIsHelpedBy(
  () => undefined,
  () => false,
  silentLogger,
)

const DONGLE = 'example.com/dongle'

interface PodFields {
  readonly on?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly phase?: string
  readonly nominated?: string
}
const pod = (units: number, { on, labels, phase, nominated }: PodFields = {}): Pod => ({
  metadata: { name: 'p', namespace: 'default', ...(labels && { labels }) },
  spec: { ...(on && { nodeName: on }), containers: [{ name: 'c', resources: { requests: { [DONGLE]: `${units}` } } }] },
  status: { ...(phase && { phase }), ...(nominated && { nominatedNodeName: nominated }) },
})
interface NodeFields {
  readonly labels?: Readonly<Record<string, string>>
  readonly taint?: string
  readonly pods?: number
  readonly features?: readonly string[]
}
const node = (units: number, { labels, taint, pods = 10, features }: NodeFields = {}): Node => ({
  metadata: { name: 'n', ...(labels && { labels }) },
  spec: taint === undefined ? {} : { taints: [{ key: taint, effect: 'NoSchedule' }] },
  status: {
    allocatable: { [DONGLE]: `${units}`, pods: `${pods}` },
    ...(features && { declaredFeatures: features }),
  },
})
const added = (value: Node): ClusterChange => ({ kind: 'node-added', node: value })
const changed = (old: Node, value: Node): ClusterChange => ({ kind: 'node-updated', old, node: value })
const gone = (value: Pod): ClusterChange => ({ kind: 'pod-deleted', pod: value })
const moved = (old: Pod, value: Pod): ClusterChange => ({ kind: 'pod-updated', old, pod: value })

test.for([
  { it: 'a new node with enough', by: 'NodeResourcesFit', change: added(node(2)), isHelped: true },
  { it: 'a new node with too little', by: 'NodeResourcesFit', change: added(node(1)), isHelped: false },
  { it: 'a node that grew enough', by: 'NodeResourcesFit', change: changed(node(1), node(2)), isHelped: true },
  { it: 'a node that grew too little', by: 'NodeResourcesFit', change: changed(node(0), node(1)), isHelped: false },
  { it: 'a node that shrank', by: 'NodeResourcesFit', change: changed(node(9), node(5)), isHelped: false },
  {
    it: 'a node that takes more pods',
    by: 'NodeResourcesFit',
    change: changed(node(2), node(2, { pods: 11 })),
    isHelped: true,
  },
  {
    it: 'a node with another label',
    by: 'NodeResourcesFit',
    change: changed(node(2), node(2, { labels: { a: 'b' } })),
    isHelped: false,
  },
  {
    it: 'a node that is gone',
    by: 'NodeResourcesFit',
    change: { kind: 'node-deleted', node: node(2) } as const,
    isHelped: false,
  },
  { it: 'a bound pod that is gone', by: 'NodeResourcesFit', change: gone(pod(1, { on: 'n' })), isHelped: true },
  {
    it: 'a nominated pod that is gone',
    by: 'NodeResourcesFit',
    change: gone(pod(1, { nominated: 'n' })),
    isHelped: true,
  },
  { it: 'a waiting pod that is gone', by: 'NodeResourcesFit', change: gone(pod(1)), isHelped: false },
  {
    it: 'a bound pod that ended',
    by: 'NodeResourcesFit',
    change: moved(pod(1, { on: 'n' }), pod(1, { on: 'n', phase: 'Succeeded' })),
    isHelped: true,
  },
  {
    it: 'a bound pod that shrank',
    by: 'NodeResourcesFit',
    change: moved(pod(3, { on: 'n' }), pod(2, { on: 'n' })),
    isHelped: true,
  },
  {
    it: 'a bound pod that grew',
    by: 'NodeResourcesFit',
    change: moved(pod(2, { on: 'n' }), pod(3, { on: 'n' })),
    isHelped: false,
  },
  { it: 'a pod that was bound', by: 'NodeResourcesFit', change: moved(pod(1), pod(1, { on: 'n' })), isHelped: false },
  {
    it: 'a pod that lost its nomination',
    by: 'NodeResourcesFit',
    change: moved(pod(1, { nominated: 'n' }), pod(1)),
    isHelped: true,
  },
  {
    it: 'a node with another label',
    by: 'NodeAffinity',
    change: changed(node(2), node(2, { labels: { a: 'b' } })),
    isHelped: true,
  },
  { it: 'a node with more room', by: 'NodeAffinity', change: changed(node(2), node(3)), isHelped: false },
  {
    it: 'a node without its taint',
    by: 'TaintToleration',
    change: changed(node(2, { taint: 'x' }), node(2)),
    isHelped: true,
  },
  { it: 'a pod that is gone', by: 'TaintToleration', change: gone(pod(1, { on: 'n' })), isHelped: false },
  {
    it: 'a node that declares a feature',
    by: 'NodeDeclaredFeatures',
    change: changed(node(2), node(2, { features: ['RestartAllContainersOnContainerExits'] })),
    isHelped: true,
  },
  {
    it: 'a node that grew',
    by: 'NodeDeclaredFeatures',
    change: changed(node(1, { features: ['x'] }), node(2, { features: ['x'] })),
    isHelped: false,
  },
  {
    it: 'a node without its taint',
    by: 'NodeUnschedulable',
    change: changed(node(2, { taint: 'x' }), node(2)),
    isHelped: false,
  },
  { it: 'a new node', by: 'NodeUnschedulable', change: added(node(2)), isHelped: true },
  {
    it: 'a bound pod without ports that is gone',
    by: 'NodePorts',
    change: gone(pod(1, { on: 'n' })),
    isHelped: false,
  },
  { it: 'a new node', by: 'NodePorts', change: added(node(2)), isHelped: true },
  { it: 'a node with more room', by: 'NodePorts', change: changed(node(2), node(3)), isHelped: false },
  {
    it: 'a pod that no term selects',
    by: 'InterPodAffinity',
    change: moved(pod(1), pod(1, { on: 'n' })),
    isHelped: false,
  },
  {
    it: 'a node that is gone',
    by: 'PodTopologySpread',
    change: { kind: 'node-deleted', node: node(2) } as const,
    isHelped: true,
  },
  {
    it: 'a node with another label',
    by: 'VolumeBinding',
    change: changed(node(2), node(2, { labels: { a: 'b' } })),
    isHelped: true,
  },
  { it: 'anything', by: EXTENDER_REJECTOR, change: changed(node(9), node(5)), isHelped: true },
  { it: 'anything', by: 'contributed-plugin', change: changed(node(9), node(5)), isHelped: true },
  { it: 'a waiting pod', by: EXTENDER_REJECTOR, change: { kind: 'pod-added', pod: pod(1) } as const, isHelped: false },
  {
    it: 'a pod that came bound',
    by: EXTENDER_REJECTOR,
    change: { kind: 'pod-added', pod: pod(1, { on: 'n' }) } as const,
    isHelped: true,
  },
  { it: 'a node that offers it', by: UNSUPPORTED_REJECTOR, change: added(node(9)), isHelped: true },
  { it: 'a node without it', by: UNSUPPORTED_REJECTOR, change: added(node(0)), isHelped: false },
  { it: 'a pod that left', by: UNSUPPORTED_REJECTOR, change: gone(pod(1, { on: 'n' })), isHelped: false },
])('$it helps a pod that $by rejected: $isHelped', ({ by, change, isHelped }) => {
  const info = { pod: pod(2), rejectors: new Set([by]) } as unknown as QueuedPodInfo
  expect(isHelpedBy(info, change)).toBe(isHelped)
})

const object = (
  resource: ObjectChange['resource'],
  name = 'x',
  kind: ObjectChange['kind'] = 'object-updated',
): ClusterChange => ({ kind, resource, object: { metadata: { name, namespace: 'default' } } }) as ClusterChange
const foreign = {
  kind: 'object-added',
  resource: 'persistentVolumeClaims',
  object: { metadata: { name: 'data', namespace: 'other' }, spec: {} },
} as const

test.for([
  { it: 'a claim of its own', by: 'VolumeBinding', change: object('persistentVolumeClaims', 'data'), isHelped: true },
  {
    it: 'a claim made for it',
    by: 'VolumeBinding',
    change: object('persistentVolumeClaims', 'p-tmp'),
    isHelped: true,
  },
  {
    it: 'less room at a storage driver',
    by: 'VolumeBinding',
    change: {
      kind: 'object-updated',
      resource: 'csiStorageCapacities',
      object: { metadata: { name: 'x' }, storageClassName: 's', capacity: '1Gi' },
      old: { metadata: { name: 'x' }, storageClassName: 's', capacity: '2Gi' },
    } as const,
    isHelped: false,
  },
  { it: 'another claim', by: 'VolumeBinding', change: object('persistentVolumeClaims', 'logs'), isHelped: false },
  { it: 'a claim in another namespace', by: 'VolumeBinding', change: foreign, isHelped: false },
  {
    it: 'a claim of its own that is gone',
    by: 'VolumeBinding',
    change: object('persistentVolumeClaims', 'data', 'object-deleted'),
    isHelped: false,
  },
  { it: 'a volume', by: 'VolumeBinding', change: object('persistentVolumes'), isHelped: true },
  { it: 'room at a storage driver', by: 'VolumeBinding', change: object('csiStorageCapacities'), isHelped: true },
  { it: 'a volume', by: 'VolumeZone', change: object('persistentVolumes'), isHelped: true },
  { it: 'room at a storage driver', by: 'VolumeZone', change: object('csiStorageCapacities'), isHelped: false },
  {
    it: 'a claim of its own',
    by: 'VolumeRestrictions',
    change: object('persistentVolumeClaims', 'data'),
    isHelped: true,
  },
  { it: 'a volume', by: 'VolumeRestrictions', change: object('persistentVolumes'), isHelped: false },
  { it: 'drivers of a node', by: 'NodeVolumeLimits', change: object('csiNodes'), isHelped: true },
  {
    it: 'a volume that is detached',
    by: 'NodeVolumeLimits',
    change: object('volumeAttachments', 'x', 'object-deleted'),
    isHelped: true,
  },
  { it: 'a volume that is attached', by: 'NodeVolumeLimits', change: object('volumeAttachments'), isHelped: false },
  { it: 'another label of a namespace', by: 'InterPodAffinity', change: object('namespaces'), isHelped: true },
  { it: 'another label of a namespace', by: 'PodTopologySpread', change: object('namespaces'), isHelped: false },
  { it: 'a volume', by: 'NodeResourcesFit', change: object('persistentVolumes'), isHelped: false },
  { it: 'a volume', by: EXTENDER_REJECTOR, change: object('persistentVolumes'), isHelped: true },
  {
    it: 'a claim of its own',
    by: UNSUPPORTED_REJECTOR,
    change: object('persistentVolumeClaims', 'data'),
    isHelped: false,
  },
  {
    it: 'a device class',
    by: UNSUPPORTED_REJECTOR,
    change: object('deviceClasses', 'x', 'object-deleted'),
    isHelped: true,
  },
  { it: 'a volume', by: UNSUPPORTED_REJECTOR, change: object('persistentVolumes'), isHelped: false },
  { it: 'a workload', by: EXTENDER_REJECTOR, change: object('replicaSets'), isHelped: false },
  { it: 'a disruption budget', by: 'contributed-plugin', change: object('podDisruptionBudgets'), isHelped: false },
])('$it helps a pod with volumes that $by rejected: $isHelped', ({ by, change, isHelped }) => {
  const waiting = pod(2)
  const volumes = [
    { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'tmp', ephemeral: {} },
  ]
  const info = { pod: { ...waiting, spec: { ...waiting.spec, volumes } }, rejectors: new Set([by]) }
  expect(isHelpedBy(info as unknown as QueuedPodInfo, change)).toBe(isHelped)
})

describe('a change of a ConfigMap', () => {
  const reads = createIsHelpedBy(
    () => () => false,
    (_pod, plugin, key) => plugin === 'reader' && key === 'ops/limits',
    silentLogger,
  )
  const configMap = (name: string, kind: ObjectChange['kind'] = 'object-updated'): ClusterChange => ({
    kind,
    resource: 'configMaps',
    object: { metadata: { name, namespace: 'ops' } },
  })

  test.for([
    { it: 'a plugin that reads it', by: 'reader', change: configMap('limits'), isHelped: true },
    {
      it: 'a plugin that reads it, when it is new',
      by: 'reader',
      change: configMap('limits', 'object-added'),
      isHelped: true,
    },
    {
      it: 'a plugin that reads it, when it is gone',
      by: 'reader',
      change: configMap('limits', 'object-deleted'),
      isHelped: true,
    },
    { it: 'a plugin that reads another one', by: 'reader', change: configMap('more'), isHelped: false },
    { it: 'a plugin that reads none', by: 'contributed-plugin', change: configMap('limits'), isHelped: false },
    { it: 'an extender', by: EXTENDER_REJECTOR, change: configMap('limits'), isHelped: false },
  ])('helps a pod that was rejected by $it: $isHelped', ({ by, change, isHelped }) => {
    expect(reads({ pod: pod(2), rejectors: new Set([by]) } as unknown as QueuedPodInfo, change)).toBe(isHelped)
  })
})
