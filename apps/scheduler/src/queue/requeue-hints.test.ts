import type { ClusterChange, ObjectChange } from '@berth/cluster-view'
import type { Node, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import type { QueuedPodInfo } from './queued-pod.ts'
import { EXTENDER_REJECTOR, UNSUPPORTED_REJECTOR, wakes } from './requeue-hints.ts'

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
  { it: 'a new node with enough', by: 'NodeResourcesFit', change: added(node(2)), isWoken: true },
  { it: 'a new node with too little', by: 'NodeResourcesFit', change: added(node(1)), isWoken: false },
  { it: 'a node that grew enough', by: 'NodeResourcesFit', change: changed(node(1), node(2)), isWoken: true },
  { it: 'a node that grew too little', by: 'NodeResourcesFit', change: changed(node(0), node(1)), isWoken: false },
  { it: 'a node that shrank', by: 'NodeResourcesFit', change: changed(node(9), node(5)), isWoken: false },
  {
    it: 'a node that takes more pods',
    by: 'NodeResourcesFit',
    change: changed(node(2), node(2, { pods: 11 })),
    isWoken: true,
  },
  {
    it: 'a node with another label',
    by: 'NodeResourcesFit',
    change: changed(node(2), node(2, { labels: { a: 'b' } })),
    isWoken: false,
  },
  {
    it: 'a node that is gone',
    by: 'NodeResourcesFit',
    change: { kind: 'node-deleted', node: node(2) } as const,
    isWoken: false,
  },
  { it: 'a bound pod that is gone', by: 'NodeResourcesFit', change: gone(pod(1, { on: 'n' })), isWoken: true },
  {
    it: 'a nominated pod that is gone',
    by: 'NodeResourcesFit',
    change: gone(pod(1, { nominated: 'n' })),
    isWoken: true,
  },
  { it: 'a waiting pod that is gone', by: 'NodeResourcesFit', change: gone(pod(1)), isWoken: false },
  {
    it: 'a bound pod that ended',
    by: 'NodeResourcesFit',
    change: moved(pod(1, { on: 'n' }), pod(1, { on: 'n', phase: 'Succeeded' })),
    isWoken: true,
  },
  {
    it: 'a bound pod that shrank',
    by: 'NodeResourcesFit',
    change: moved(pod(3, { on: 'n' }), pod(2, { on: 'n' })),
    isWoken: true,
  },
  {
    it: 'a bound pod that grew',
    by: 'NodeResourcesFit',
    change: moved(pod(2, { on: 'n' }), pod(3, { on: 'n' })),
    isWoken: false,
  },
  { it: 'a pod that was bound', by: 'NodeResourcesFit', change: moved(pod(1), pod(1, { on: 'n' })), isWoken: false },
  {
    it: 'a pod that lost its nomination',
    by: 'NodeResourcesFit',
    change: moved(pod(1, { nominated: 'n' }), pod(1)),
    isWoken: true,
  },
  {
    it: 'a node with another label',
    by: 'NodeAffinity',
    change: changed(node(2), node(2, { labels: { a: 'b' } })),
    isWoken: true,
  },
  { it: 'a node with more room', by: 'NodeAffinity', change: changed(node(2), node(3)), isWoken: false },
  {
    it: 'a node without its taint',
    by: 'TaintToleration',
    change: changed(node(2, { taint: 'x' }), node(2)),
    isWoken: true,
  },
  { it: 'a pod that is gone', by: 'TaintToleration', change: gone(pod(1, { on: 'n' })), isWoken: false },
  {
    it: 'a node that declares a feature',
    by: 'NodeDeclaredFeatures',
    change: changed(node(2), node(2, { features: ['RestartAllContainersOnContainerExits'] })),
    isWoken: true,
  },
  {
    it: 'a node that grew',
    by: 'NodeDeclaredFeatures',
    change: changed(node(1, { features: ['x'] }), node(2, { features: ['x'] })),
    isWoken: false,
  },
  {
    it: 'a node without its taint',
    by: 'NodeUnschedulable',
    change: changed(node(2, { taint: 'x' }), node(2)),
    isWoken: true,
  },
  { it: 'a bound pod that is gone', by: 'NodePorts', change: gone(pod(1, { on: 'n' })), isWoken: true },
  { it: 'a node with more room', by: 'NodePorts', change: changed(node(2), node(3)), isWoken: false },
  { it: 'a pod that was bound', by: 'InterPodAffinity', change: moved(pod(1), pod(1, { on: 'n' })), isWoken: true },
  {
    it: 'a bound pod with another label',
    by: 'InterPodAffinity',
    change: moved(pod(1, { on: 'n' }), pod(1, { on: 'n', labels: { a: 'b' } })),
    isWoken: true,
  },
  {
    it: 'a node that is gone',
    by: 'PodTopologySpread',
    change: { kind: 'node-deleted', node: node(2) } as const,
    isWoken: true,
  },
  {
    it: 'a node with another label',
    by: 'VolumeBinding',
    change: changed(node(2), node(2, { labels: { a: 'b' } })),
    isWoken: true,
  },
  { it: 'anything', by: EXTENDER_REJECTOR, change: changed(node(9), node(5)), isWoken: true },
  { it: 'anything', by: 'somebody-elses-plugin', change: changed(node(9), node(5)), isWoken: true },
  { it: 'a waiting pod', by: EXTENDER_REJECTOR, change: { kind: 'pod-added', pod: pod(1) } as const, isWoken: false },
  {
    it: 'a pod that came bound',
    by: EXTENDER_REJECTOR,
    change: { kind: 'pod-added', pod: pod(1, { on: 'n' }) } as const,
    isWoken: true,
  },
  { it: 'a node that offers it', by: UNSUPPORTED_REJECTOR, change: added(node(9)), isWoken: true },
  { it: 'a node without it', by: UNSUPPORTED_REJECTOR, change: added(node(0)), isWoken: false },
  { it: 'a pod that left', by: UNSUPPORTED_REJECTOR, change: gone(pod(1, { on: 'n' })), isWoken: false },
])('$it wakes a pod that $by turned away: $isWoken', ({ by, change, isWoken }) => {
  const info = { pod: pod(2), rejectors: new Set([by]) } as unknown as QueuedPodInfo
  expect(wakes(info, change)).toBe(isWoken)
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
  { it: 'a claim of its own', by: 'VolumeBinding', change: object('persistentVolumeClaims', 'data'), isWoken: true },
  { it: 'a claim made for it', by: 'VolumeZone', change: object('persistentVolumeClaims', 'p-tmp'), isWoken: true },
  { it: 'another claim', by: 'VolumeBinding', change: object('persistentVolumeClaims', 'logs'), isWoken: false },
  { it: 'a claim in another namespace', by: 'VolumeBinding', change: foreign, isWoken: false },
  {
    it: 'a claim of its own that is gone',
    by: 'VolumeBinding',
    change: object('persistentVolumeClaims', 'data', 'object-deleted'),
    isWoken: false,
  },
  { it: 'a volume', by: 'VolumeBinding', change: object('persistentVolumes'), isWoken: true },
  { it: 'room at a storage driver', by: 'VolumeBinding', change: object('csiStorageCapacities'), isWoken: true },
  { it: 'a volume', by: 'VolumeZone', change: object('persistentVolumes'), isWoken: true },
  { it: 'room at a storage driver', by: 'VolumeZone', change: object('csiStorageCapacities'), isWoken: false },
  {
    it: 'a claim of its own',
    by: 'VolumeRestrictions',
    change: object('persistentVolumeClaims', 'data'),
    isWoken: true,
  },
  { it: 'a volume', by: 'VolumeRestrictions', change: object('persistentVolumes'), isWoken: false },
  { it: 'drivers of a node', by: 'NodeVolumeLimits', change: object('csiNodes'), isWoken: true },
  {
    it: 'a volume that is detached',
    by: 'NodeVolumeLimits',
    change: object('volumeAttachments', 'x', 'object-deleted'),
    isWoken: true,
  },
  { it: 'a volume that is attached', by: 'NodeVolumeLimits', change: object('volumeAttachments'), isWoken: false },
  { it: 'another label of a namespace', by: 'InterPodAffinity', change: object('namespaces'), isWoken: true },
  { it: 'another label of a namespace', by: 'PodTopologySpread', change: object('namespaces'), isWoken: false },
  { it: 'a volume', by: 'NodeResourcesFit', change: object('persistentVolumes'), isWoken: false },
  { it: 'a volume', by: EXTENDER_REJECTOR, change: object('persistentVolumes'), isWoken: true },
  {
    it: 'a claim of its own',
    by: UNSUPPORTED_REJECTOR,
    change: object('persistentVolumeClaims', 'data'),
    isWoken: true,
  },
  {
    it: 'a device class',
    by: UNSUPPORTED_REJECTOR,
    change: object('deviceClasses', 'x', 'object-deleted'),
    isWoken: true,
  },
  { it: 'a volume', by: UNSUPPORTED_REJECTOR, change: object('persistentVolumes'), isWoken: false },
  { it: 'a workload', by: EXTENDER_REJECTOR, change: object('replicaSets'), isWoken: false },
  { it: 'a disruption budget', by: 'somebody-elses-plugin', change: object('podDisruptionBudgets'), isWoken: false },
])('$it wakes a pod with volumes that $by turned away: $isWoken', ({ by, change, isWoken }) => {
  const waiting = pod(2)
  const volumes = [
    { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'tmp', ephemeral: {} },
  ]
  const info = { pod: { ...waiting, spec: { ...waiting.spec, volumes } }, rejectors: new Set([by]) }
  expect(wakes(info as unknown as QueuedPodInfo, change)).toBe(isWoken)
})
