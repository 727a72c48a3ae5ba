import type { Node, NodeCondition, ResourceList, Taint } from '@berth/types'
import { createHash } from 'node:crypto'

/** Properties of a simulated machine. */
export interface NodeIdentity {
  readonly nodeName: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly capacity: ResourceList
  /** Changes with every reboot. */
  readonly bootId: string
}

/** Formats a time as RFC 3339 with seconds, as in API objects. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`
}

/** Returns two bytes of a hash of the name, which the addresses of the node and its pods contain. */
export function addressBytes(nodeName: string): readonly [number, number] {
  const digest = createHash('sha256').update(nodeName).digest()
  return [digest.readUInt8(0), digest.readUInt8(1)]
}

/** Returns the node's internal IP address. */
export function nodeAddress(nodeName: string): string {
  const [high, low] = addressBytes(nodeName)
  return `172.16.${high}.${low}`
}

/** Returns the conditions of a healthy node. Unchanged ones keep their transition time. */
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

/** Returns whether the conditions are those of a healthy node. The node lifecycle controller may have changed them. */
export function hasReadyConditions(conditions: readonly NodeCondition[] = []): boolean {
  const healthy = readyConditions(0)
  return healthy.every(({ type, status }) => conditions.some((each) => each.type === type && each.status === status))
}

// The resizes that the API server allows only on nodes that declare them: of plain init containers, and at pod level.
const DECLARED_FEATURES = ['InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers']

/** Returns the Node object that the kubelet registers. */
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
