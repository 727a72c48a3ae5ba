import { isRecord, type ClusterObjectKind, type KubernetesObject, type Node, type Pod } from '@berth/types'
import type { ExtenderPlugin } from './extender-profile.ts'

/** The version of the format. */
export const RECORDING_VERSION = 2

/** The first line of a recording. */
export interface RecordingStart {
  readonly kind: 'start'
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly plugins: readonly ExtenderPlugin[]
  readonly ignoredResources: readonly string[]
}

/** Changes of the cluster since the previous line. */
export interface RecordedChanges {
  readonly kind: 'changes'
  readonly nodes: readonly Node[]
  /** The pods that take units of a node. */
  readonly pods: readonly Pod[]
  /** The pods that wait for units of the node that they are nominated for. */
  readonly nominated: readonly { readonly pod: Pod; readonly node: string }[]
  readonly objects: readonly (readonly [ClusterObjectKind, KubernetesObject])[]
  readonly goneNodes: readonly string[]
  readonly gonePods: readonly Pod[]
  readonly goneNominated: readonly Pod[]
  /** Kind and `namespace/name` of each. */
  readonly goneObjects: readonly (readonly [ClusterObjectKind, string])[]
}

/** Nodes by the reason for which they were rejected. */
export type RecordedReasons = readonly (readonly [reason: string, nodeNames: readonly string[]])[]

/** The uids of victims by node. */
export type RecordedVictims = readonly (readonly [node: string, uids: readonly string[]])[]

/** A filter call and its verdicts. The nodes without a reason passed. */
export interface RecordedFilter {
  readonly kind: 'filter'
  readonly time: string
  readonly pod: Pod
  readonly names: readonly string[]
  /** Preemption may help. */
  readonly failed: RecordedReasons
  /** Preemption does not help. */
  readonly unresolvable: RecordedReasons
}

/** A prioritize call and its scores. */
export interface RecordedPrioritize {
  readonly kind: 'prioritize'
  readonly time: string
  readonly pod: Pod
  readonly names: readonly string[]
  /** In the order of `names`. */
  readonly scores: readonly number[]
}

/** A preempt call. */
export interface RecordedPreempt {
  readonly kind: 'preempt'
  readonly time: string
  readonly pod: Pod
  readonly proposed: RecordedVictims
  /** The victims after the review, before the processPreemption hooks. A node without an entry is not a candidate. */
  readonly reviewed: RecordedVictims
}

/** The check of a bind call: whether the pod fits on its node. */
export interface RecordedBind {
  readonly kind: 'bind'
  readonly time: string
  readonly pod: Pod
  readonly node: string
  /** Why the pod was refused; empty if it fits. */
  readonly reason: string
}

/** A call and its verdicts. */
export type RecordedCall = RecordedFilter | RecordedPrioritize | RecordedPreempt | RecordedBind

/** The last line of a recording that reached its maximum size. */
export interface RecordingEnd {
  readonly kind: 'end'
  readonly reason: string
}

/** One line of a recording, as JSON. */
export type RecordingLine = RecordingStart | RecordedChanges | RecordedCall | RecordingEnd

const KINDS: ReadonlySet<unknown> = new Set(['start', 'changes', 'filter', 'prioritize', 'preempt', 'bind', 'end'])

/**
 * Parses a line of a recording.
 *
 * @returns Undefined for a text that is not a line of a recording, such as the incomplete last line of a killed
 *   process.
 */
export function parseRecordingLine(line: string): RecordingLine | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) && KINDS.has(value['kind']) ? (value as unknown as RecordingLine) : undefined
  } catch {
    return undefined
  }
}

/** Fields of a container that decisions read. Everything else, such as env, commands and probes, is left out. */
const CONTAINER_FIELDS = ['name', 'resources', 'ports', 'restartPolicy'] as const
/** Fields of a pod's spec that decisions read. */
const SPEC_FIELDS = [
  'affinity',
  'hostNetwork',
  'nodeName',
  'nodeSelector',
  'overhead',
  'preemptionPolicy',
  'priority',
  'resources',
  'schedulerName',
  'tolerations',
  'topologySpreadConstraints',
] as const

/** Fields of a pod's status that decisions read. */
const STATUS_FIELDS = ['phase', 'startTime'] as const

function pick(value: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => fields.includes(key) && field != null))
}

/** Returns the metadata without annotations and everything else that no decision reads. */
export function redactMetadata({ metadata }: KubernetesObject): KubernetesObject['metadata'] {
  return pick(metadata ?? {}, ['name', 'namespace', 'uid', 'labels', 'creationTimestamp', 'deletionTimestamp'])
}

/**
 * Returns a pod with only the fields that decisions about nodes read: no annotations, environment, commands, images,
 * volumes and claims.
 */
export function redactPod(pod: Pod): Pod {
  const containers = (list: readonly object[]): unknown => list.map((container) => pick(container, CONTAINER_FIELDS))
  const { spec, status } = pod
  return {
    metadata: redactMetadata(pod),
    spec: {
      ...pick(spec, SPEC_FIELDS),
      containers: containers(spec.containers),
      ...(spec.initContainers != null && { initContainers: containers(spec.initContainers) }),
    },
    status: pick(status ?? {}, STATUS_FIELDS),
  } as unknown as Pod
}

/** Returns a node with only the fields that decisions read: no annotations, addresses and images. */
export function redactNode(node: Node): Node {
  return {
    metadata: redactMetadata(node),
    spec: pick(node.spec ?? {}, ['taints', 'unschedulable']),
    status: pick(node.status ?? {}, ['allocatable', 'capacity', 'declaredFeatures']),
  } as unknown as Node
}
