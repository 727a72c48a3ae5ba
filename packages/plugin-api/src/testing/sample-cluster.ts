import {
  type Candidates,
  type ClusterObjectKind,
  type ClusterObjectKinds,
  type ClusterObjectsReader,
  type ClusterReader,
  type ConfigMap,
  type Namespace,
  type Node,
  type Pod,
  splitNamespacedName,
} from '@berth/types'
import { frozen } from './contract-breach.ts'

/** One node of a sample cluster. */
export interface SampleNode {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Whole units, cpu in milli. */
  readonly allocatable?: Readonly<Record<string, number>>
  /** Sum of the requests of the pods, in whole units, cpu in milli. */
  readonly requested?: Readonly<Record<string, number>>
  readonly pods?: readonly Pod[]
}

/** A namespace of a sample cluster. */
export interface SampleNamespace {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
}

/** A ConfigMap of a sample cluster. Hooks see it if the plugin declares it. */
export interface SampleConfigMap {
  /** `namespace/name`. */
  readonly name: string
  readonly data?: Readonly<Record<string, string>>
}

/** A small cluster, independent of the engine, with which to call a plugin's hooks. */
export interface SampleCluster {
  readonly reader: ClusterReader
  /** Every row. */
  readonly rows: readonly number[]
  /** Returns a reader for one call. It throws for a row that is not a candidate, and after `close`. */
  open(candidates: Candidates): { readonly reader: ClusterReader; readonly close: () => void }
}

/** The sample cluster holds no objects besides nodes, pods, namespaces and ConfigMaps. */
function sampleObjects(
  namespaces: readonly SampleNamespace[],
  configMaps: readonly SampleConfigMap[],
): ClusterObjectsReader {
  const byKind: Partial<Record<ClusterObjectKind, ReadonlyMap<string, Namespace | ConfigMap>>> = {
    namespaces: new Map(namespaces.map(({ name, labels = {} }) => [name, frozen({ metadata: { name, labels } })])),
    configMaps: new Map(
      configMaps.map(({ name, data = {} }) => [name, frozen({ metadata: splitNamespacedName(name), data })]),
    ),
  }
  return {
    generation: 0,
    generationOf: () => 0,
    get: <K extends ClusterObjectKind>(kind: K, key: string) =>
      byKind[kind]?.get(key) as ClusterObjectKinds[K] | undefined,
    list: <K extends ClusterObjectKind>(kind: K) =>
      [...(byKind[kind]?.values() ?? [])] as unknown as readonly ClusterObjectKinds[K][],
  }
}

/** Returns the ConfigMaps that a plugin declares: a host watches no others. */
export function declaredOnly(
  configMaps: readonly SampleConfigMap[] = [],
  declared: readonly string[],
): readonly SampleConfigMap[] {
  return configMaps.filter(({ name }) => declared.includes(name))
}

/** Sums plain numbers of the containers. The hosts also count init containers, sidecars, overhead and pod-level requests. */
function requestOf({ spec }: Pod, resourceName: string): bigint {
  return spec.containers.reduce((sum, { resources }) => {
    const { requests, limits } = resources ?? {}
    const text = String(requests?.[resourceName] ?? limits?.[resourceName] ?? 0)
    const isMilli = text.endsWith('m')
    const number = Number(isMilli ? text.slice(0, -1) : text) * (resourceName === 'cpu' && !isMilli ? 1_000 : 1)
    return sum + BigInt(Math.ceil(number))
  }, 0n)
}

/** Creates a cluster of frozen nodes, with a hole between each two rows as after the removal of nodes. */
export function sampleCluster(
  nodes: readonly SampleNode[],
  namespaces: readonly SampleNamespace[] = [],
  configMaps: readonly SampleConfigMap[] = [],
): SampleCluster {
  const byRow = new Map(nodes.map((node, index) => [index * 2, { sample: node, node: nodeObject(node) }]))
  const at = (row: number) => {
    const entry = byRow.get(row)
    if (entry === undefined) throw new Error(`it read row ${row}, which has no node`)
    return entry
  }
  const reader: ClusterReader = {
    rowCount: nodes.length * 2,
    nodeName: (row) => at(row).sample.name,
    node: (row) => at(row).node,
    podsOn: (row) => frozen(at(row).sample.pods ?? []),
    allocatable: (row, resourceName) => amount(at(row).sample.allocatable, resourceName),
    requested: (row, resourceName) => amount(at(row).sample.requested, resourceName),
    requestOf,
    requestedInNamespace: (namespace, resourceName) =>
      [...byRow.values()]
        .flatMap(({ sample }) => sample.pods ?? [])
        .filter(({ metadata }) => (metadata.namespace ?? 'default') === namespace)
        .reduce((sum, pod) => sum + requestOf(pod, resourceName), 0n),
    objects: sampleObjects(namespaces, configMaps),
  }
  return { reader, rows: [...byRow.keys()], open: (candidates) => openReader(reader, candidates) }
}

function nodeObject({ name, labels = {}, annotations = {}, allocatable = {} }: SampleNode): Node {
  const amounts = Object.fromEntries(
    Object.entries(allocatable).map(([key, units]) => [key, key === 'cpu' ? `${units}m` : String(units)]),
  )
  return frozen({
    metadata: { name, uid: `uid-${name}`, labels, annotations },
    spec: {},
    status: { capacity: amounts, allocatable: amounts },
  })
}

function amount(amounts: Readonly<Record<string, number>> | undefined, resourceName: string): bigint {
  return amounts !== undefined && Object.hasOwn(amounts, resourceName) ? BigInt(amounts[resourceName] ?? 0) : 0n
}

function openReader(
  reader: ClusterReader,
  { rows, count }: Candidates,
): { readonly reader: ClusterReader; readonly close: () => void } {
  const allowed = new Set(rows.subarray(0, count))
  let isOpen = true
  const checked = (row: number): number => {
    if (!isOpen) throw new Error('it read the cluster after the call')
    if (!allowed.has(row)) throw new Error(`it read row ${row}, which is not a candidate`)
    return row
  }
  return {
    reader: {
      rowCount: reader.rowCount,
      nodeName: (row) => reader.nodeName(checked(row)),
      node: (row) => reader.node(checked(row)),
      podsOn: (row) => reader.podsOn(checked(row)),
      allocatable: (row, resourceName) => reader.allocatable(checked(row), resourceName),
      requested: (row, resourceName) => reader.requested(checked(row), resourceName),
      requestOf: (pod, resourceName) => reader.requestOf(pod, resourceName),
      requestedInNamespace: (namespace, resourceName) => reader.requestedInNamespace(namespace, resourceName),
      objects: reader.objects,
    },
    close: () => {
      isOpen = false
    },
  }
}
