import type { Node, NodeCondition, ResourceList, Taint } from '@berth/types'
import { createHash } from 'node:crypto'

/** What a simulated machine says of itself. */
export interface NodeIdentity {
  readonly nodeName: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly capacity: ResourceList
  /** Changes with every reboot. */
  readonly bootId: string
}

/** RFC 3339 with seconds, as API objects carry it. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`
}

/** Two stable bytes from a name: addresses of simulated nodes and pods are made of them. */
export function addressBytes(nodeName: string): readonly [number, number] {
  const digest = createHash('sha256').update(nodeName).digest()
  return [digest.readUInt8(0), digest.readUInt8(1)]
}

/** The node's internal address. */
export function nodeAddress(nodeName: string): string {
  const [high, low] = addressBytes(nodeName)
  return `172.16.${high}.${low}`
}

/** Conditions of a healthy node. */
export function readyConditions(nowMs: number, before: readonly NodeCondition[] = []): readonly NodeCondition[] {
  const now = timestamp(nowMs)
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const old = before.find((each) => each.type === type)
    const since = old?.status === status ? old.lastTransitionTime : undefined
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: since ?? now }
  }
  return [
    ...before.filter(({ type }) => !/^(MemoryPressure|DiskPressure|PIDPressure|Ready)$/u.test(type)),
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ]
}

/** Whether the API shows the node as its kubelet knows it: the life cycle controller may have thought otherwise. */
export function hasWellConditions(conditions: readonly NodeCondition[] = []): boolean {
  const wanted = readyConditions(0)
  return wanted.every(({ type, status }) => conditions.some((each) => each.type === type && each.status === status))
}

// Resizes that not every kubelet can: those of plain init containers and of the pod as a whole.
const DECLARED_FEATURES = ['InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers']

/** The Node object that a kubelet registers. */
export function nodeObject(identity: NodeIdentity, allocatable: ResourceList, nowMs: number): Node {
  const { nodeName, labels, taints, capacity, bootId } = identity
  const machineId = createHash('sha256').update(nodeName).digest('hex').slice(0, 32)
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': nodeName,
        'kubernetes.io/os': 'linux',
        ...labels,
      },
    },
    spec: { ...(taints !== undefined && { taints }) },
    status: {
      declaredFeatures: DECLARED_FEATURES,
      capacity,
      allocatable,
      conditions: readyConditions(nowMs),
      addresses: [
        { type: 'InternalIP', address: nodeAddress(nodeName) },
        { type: 'Hostname', address: nodeName },
      ],
      nodeInfo: {
        architecture: 'amd64',
        bootID: bootId,
        containerRuntimeVersion: 'containerd://2.3.4',
        kernelVersion: '6.12.0',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.3',
        machineID: machineId,
        operatingSystem: 'linux',
        osImage: 'Berth simulator',
        systemUUID: machineId,
      },
    },
  }
}
