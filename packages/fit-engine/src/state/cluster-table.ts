import { boundPodRequest, type HostPort, isTerminal, podRequest, type PodResources } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { StateError } from '../errors.ts'
import { ChangeLog } from './cache/change-log.ts'
import { RowValueCache } from './cache/row-value-cache.ts'
import { Scratch } from './cache/scratch.ts'
import { ClusterObjectStore } from './cluster-objects.ts'
import type { ClusterState } from './cluster-state.ts'
import { LayeredMap } from './layered-map.ts'
import { allocatableChanges } from './nodes/allocatable-changes.ts'
import { ImageIndex } from './nodes/image-index.ts'
import { NodeRows, readNodeTraits } from './nodes/node-rows.ts'
import type { TopologyColumns } from './nodes/topology-columns.ts'
import { PlacementIndexes } from './placement-indexes.ts'
import type { KeyedAffinityTerms } from './pods/affinity-term-index.ts'
import {
  encodeRequest,
  type EncodedRequest,
  FIRST_SCALAR_INDEX,
  NON_ZERO_CPU_INDEX,
  NON_ZERO_MEMORY_INDEX,
  releaseRequest,
  requestedAmount,
} from './pods/encoded-request.ts'
import { NamespaceRequests } from './pods/namespace-requests.ts'
import { Nominations } from './pods/nominations.ts'
import type { PlacedPod } from './pods/placed-pod.ts'
import type { PodLabelIndex } from './pods/pod-label-index.ts'
import { PodLists } from './pods/pod-lists.ts'
import { PriorityCounts } from './pods/priority-counts.ts'
import { podUid } from './pods/pod-uid.ts'
import { RequestPool } from './pods/request-pool.ts'
import { readObject } from './read-object.ts'
import { addAmounts, subtractAmounts } from './resources/amount.ts'
import { AmountColumn } from './resources/amount-column.ts'
import { CPU, EPHEMERAL_STORAGE, PODS } from './resources/resource-names.ts'
import { ResourceStore } from './resources/resource-store.ts'

const INITIAL_CAPACITY = 64
const noNode: Node = { metadata: {} }

/**
 * The engine's implementation of the cluster state. Each node has a row, a small integer; amounts are kept in columns
 * indexed by row, and placed pods in a map by uid. Filters and scores read the public fields directly.
 */
export class ClusterTable implements ClusterState {
  generation = 0
  rows: NodeRows = new NodeRows(INITIAL_CAPACITY)
  store: ResourceStore = new ResourceStore(INITIAL_CAPACITY)
  /** By row: the sum of the pods' cpu requests, with the scoring default for pods that request none. */
  nonZeroCpu: AmountColumn = new AmountColumn(INITIAL_CAPACITY)
  /** By row: the sum of the pods' memory requests, with the scoring default for pods that request none. */
  nonZeroMemory: AmountColumn = new AmountColumn(INITIAL_CAPACITY)
  images: ImageIndex = new ImageIndex()
  nominations: Nominations = new Nominations()
  objects: ClusterObjectStore = new ClusterObjectStore()
  indexes: PlacementIndexes = new PlacementIndexes()
  priorities: PriorityCounts = new PriorityCounts()
  readonly scratch: Scratch = new Scratch()
  /** The host ports in use on a row while a dry run has removed pods from it. */
  readonly dryRunPorts: Map<number, readonly HostPort[]> = new Map()
  readonly #changes = new ChangeLog()
  /** Scores by row for pods with equal requests. A fork starts with an empty cache. */
  readonly rowValues: RowValueCache = new RowValueCache(this.#changes, this.scratch)
  readonly #requestPool = new RequestPool()
  #capacity = INITIAL_CAPACITY
  #placedPods = new LayeredMap<PlacedPod>()
  #podLists = new PodLists()
  #namespaceRequests = new NamespaceRequests()

  get rowCount(): number {
    return this.rows.limit
  }

  get nodeCount(): number {
    return this.rows.count
  }

  nodeName(row: number): string {
    return this.rows.nameOf(row)
  }

  node(row: number): Node {
    return this.rows.nodeOf(row) ?? noNode
  }

  podsOn(row: number): readonly Pod[] {
    return this.#podLists.podsOn(row)
  }

  allocatable(row: number, resourceName: string): bigint {
    const id = this.store.names.idOf(resourceName)
    return id === undefined ? 0n : BigInt(this.store.allocatable(id, row))
  }

  requested(row: number, resourceName: string): bigint {
    const id = this.store.names.idOf(resourceName)
    return id === undefined ? 0n : BigInt(this.store.requested(id, row))
  }

  nodeNames(): readonly string[] {
    return this.rows.namesInSchedulingOrder()
  }

  rowOf(nodeName: string): number | undefined {
    const row = this.rows.find(nodeName)
    return row === undefined || this.rows.nodeOf(row) === undefined ? undefined : row
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? ''
    const knownRow = this.rows.find(name)
    const old = knownRow === undefined ? undefined : this.rows.nodeOf(knownRow)
    // Both reads can throw, so they come before the first change.
    const changes = readObject('node', node.metadata, () => allocatableChanges(old, node, this.store.names))
    const traits = readObject('node', node.metadata, () => readNodeTraits(node))
    this.generation += 1
    const row = this.#obtainRow(name)
    this.rows.setNode(row, node, traits)
    for (const [resourceName, amount] of changes) this.store.setAllocatable(resourceName, row, amount)
    if (changes.size > 0) this.#changes.record(row)
    this.images.update(row, old, node)
  }

  deleteNode(name: string): void {
    const row = this.rowOf(name)
    if (row === undefined) return
    this.generation += 1
    const old = this.rows.nodeOf(row)
    const changes = allocatableChanges(old, undefined, this.store.names)
    for (const resourceName of changes.keys()) this.store.setAllocatable(resourceName, row, 0)
    this.#changes.record(row)
    this.images.update(row, old, undefined)
    this.rows.clearNode(row)
    this.#releaseIfEmpty(row)
  }

  setPod(pod: Pod): void {
    const nodeName = pod.spec.nodeName ?? ''
    if (isTerminal(pod)) this.deletePod(pod)
    else if (nodeName === '') this.#setUnboundPod(pod)
    else {
      this.#place(pod, nodeName, { isAssumed: false })
      this.nominations.remove(pod)
    }
  }

  deletePod(pod: Pod): void {
    const wasNominated = this.nominations.remove(pod)
    if (this.#remove(podUid(pod)) || wasNominated) this.generation += 1
  }

  *pods(): IterableIterator<Pod> {
    for (const { pod } of this.#placedPods.values()) yield pod
  }

  placementOf(pod: Pod): { readonly pod: Pod; readonly nodeName: string; readonly isAssumed: boolean } | undefined {
    const placed = this.#placedPods.get(podUid(pod))
    return placed && { pod: placed.pod, nodeName: this.rows.nameOf(placed.row), isAssumed: placed.isAssumed }
  }

  /** Returns the index of pods by labels, after refreshing it. */
  currentPodLabels(): PodLabelIndex {
    this.indexes.podLabels.refresh(this.#podLists.byRow(), this.#podLists.changes)
    return this.indexes.podLabels
  }

  /** Returns the index of nodes by topology domain, after refreshing it. */
  currentTopology(): TopologyColumns {
    this.indexes.topology.refresh(this.rows, this.generation)
    return this.indexes.topology
  }

  /** Returns whether the pod takes up resources on a node, bound or assumed. */
  isPlaced(pod: Pod): boolean {
    return this.#placedPods.get(podUid(pod)) !== undefined
  }

  assume(pod: Pod, nodeName: string): void {
    if (this.isPlaced(pod)) {
      const { namespace, name } = pod.metadata
      throw new StateError(`assume pod ${namespace}/${name} on node ${nodeName}: the pod is already bound or assumed`, {
        code: 'BERTH_FIT_ASSUMED_TWICE',
      })
    }
    this.#place(pod, nodeName, { isAssumed: true })
  }

  forget(pod: Pod): void {
    if (!this.isAssumed(pod)) return
    this.generation += 1
    this.#remove(podUid(pod))
  }

  isAssumed(pod: Pod): boolean {
    return this.#placedPods.get(podUid(pod))?.isAssumed === true
  }

  nominate(pod: Pod, nodeName: string): void {
    // A pod that cannot be read is refused here: it would fail every later decision that leaves room for it.
    if (nodeName !== '') {
      this.#readAffinityTerms(pod)
      readObject('pod', pod.metadata, () => boundPodRequest(pod))
    }
    this.generation += 1
    this.nominations.set(pod, nodeName)
  }

  clearNomination(pod: Pod): void {
    if (this.nominations.remove(pod)) this.generation += 1
  }

  nominatedPods(nodeName: string): readonly Pod[] {
    return this.nominations.podsOn(nodeName)
  }

  fork(): ClusterTable {
    const copy = new ClusterTable()
    copy.generation = this.generation
    copy.rows = this.rows.copy()
    copy.store = this.store.copy()
    copy.nonZeroCpu = this.nonZeroCpu.copy()
    copy.nonZeroMemory = this.nonZeroMemory.copy()
    copy.images = this.images.copy()
    copy.nominations = this.nominations.copy()
    copy.objects = this.objects.copy()
    copy.indexes = this.indexes.copy()
    copy.priorities = this.priorities.copy()
    copy.#capacity = this.#capacity
    copy.#placedPods = this.#placedPods.copy()
    copy.#podLists = this.#podLists.copy()
    copy.#namespaceRequests = this.#namespaceRequests.copy()
    return copy
  }

  requestOf(pod: Pod, resourceName: string): bigint {
    const request = this.encodedRequestOf(pod)
    return request === undefined ? amountIn(podRequest(pod), resourceName) : this.#amountOf(request, resourceName)
  }

  requestedInNamespace(namespace: string, resourceName: string): bigint {
    return this.#namespaceRequests.sumOf(namespace, resourceName, (add) => {
      for (const { pod, request } of this.#placedPods.values()) {
        add(namespaceOf(pod), this.#amountOf(request, resourceName))
      }
    })
  }

  #amountOf(request: EncodedRequest, resourceName: string): bigint {
    const id = this.store.names.idOf(resourceName)
    return id === undefined ? 0n : BigInt(requestedAmount(request, id))
  }

  /** Returns the request of a placed pod, or undefined for a pod that is not placed. */
  encodedRequestOf(pod: Pod): EncodedRequest | undefined {
    return this.#placedPods.get(podUid(pod))?.request
  }

  /** Replaces the list of pods on a row without changing the row's totals. */
  setPodsOn(row: number, pods: readonly Pod[]): void {
    this.#podLists.replace(row, pods)
  }

  /** Adds a pod's request to the row's totals, or subtracts it, without changing the list of pods on the row. */
  accountRequest(row: number, request: EncodedRequest, sign: 1 | -1): void {
    this.#changes.record(row)
    const { store, nonZeroCpu, nonZeroMemory } = this
    const combine = sign === 1 ? addAmounts : subtractAmounts
    nonZeroCpu.set(row, combine(nonZeroCpu.get(row), request[NON_ZERO_CPU_INDEX] ?? 0))
    nonZeroMemory.set(row, combine(nonZeroMemory.get(row), request[NON_ZERO_MEMORY_INDEX] ?? 0))
    store.changeRequested(PODS, row, 1, sign)
    for (let id = CPU; id <= EPHEMERAL_STORAGE; id++) store.changeRequested(id, row, request[id] ?? 0, sign)
    for (let i = FIRST_SCALAR_INDEX; i < request.length; i += 2) {
      store.changeRequested(Number(request[i]), row, request[i + 1] ?? 0, sign)
    }
  }

  /** Handles a pod without a node name. Keeps an assumed placement, because the event may be older than it. */
  #setUnboundPod(pod: Pod): void {
    if (this.#placedPods.get(podUid(pod))?.isAssumed === false) this.deletePod(pod)
  }

  /** Places the pod on the node, and removes it from where it was. */
  #place(pod: Pod, nodeName: string, { isAssumed }: { readonly isAssumed: boolean }): void {
    const uid = podUid(pod)
    // Both reads can throw, so they come before the first change. The request is last because it retains names.
    const affinityTerms = this.#readAffinityTerms(pod)
    const request = this.#readRequest(pod)
    this.generation += 1
    this.#remove(uid)
    const row = this.#obtainRow(nodeName)
    this.#placedPods.set(uid, { pod, row, isAssumed, request })
    this.#podLists.add(row, pod)
    if (affinityTerms !== undefined) this.indexes.affinityTerms.add(row, affinityTerms)
    this.priorities.change(pod, request, 1)
    this.#namespaceRequests.change(namespaceOf(pod), (name) => this.#amountOf(request, name), 1n)
    this.accountRequest(row, request, 1)
  }

  /** Removes the pod from its node. Returns whether it was placed. */
  #remove(uid: string): boolean {
    const placed = this.#placedPods.get(uid)
    if (placed === undefined) return false
    const { row, request, pod } = placed
    this.#placedPods.delete(uid)
    this.indexes.affinityTerms.remove(row, pod)
    this.#podLists.remove(row, pod)
    this.priorities.change(pod, request, -1)
    this.#namespaceRequests.change(namespaceOf(pod), (name) => this.#amountOf(request, name), -1n)
    this.accountRequest(row, request, -1)
    releaseRequest(request, this.store.names)
    this.#releaseIfEmpty(row)
    return true
  }

  #readAffinityTerms(pod: Pod): KeyedAffinityTerms | undefined {
    return readObject('pod', pod.metadata, () => this.indexes.affinityTerms.parse(pod))
  }

  #readRequest(pod: Pod): EncodedRequest {
    return this.#requestPool.intern(readObject('pod', pod.metadata, () => encodeRequest(pod, this.store.names)))
  }

  /** Returns the row of the node name. Creates it when there is none, and enlarges the columns when they are full. */
  #obtainRow(name: string): number {
    const row = this.rows.obtain(name)
    if (row >= this.#capacity) {
      this.#capacity = Math.max(row + 1, this.#capacity * 2)
      for (const part of [this.rows, this.store, this.nonZeroCpu, this.nonZeroMemory]) part.grow(this.#capacity)
    }
    this.store.setRowCount(this.rows.limit)
    return row
  }

  #releaseIfEmpty(row: number): void {
    if (this.rows.nodeOf(row) === undefined && this.#podLists.isEmpty(row)) this.rows.release(row)
  }
}

function namespaceOf({ metadata }: Pod): string {
  return metadata.namespace ?? 'default'
}

function amountIn(request: PodResources, resourceName: string): bigint {
  switch (resourceName) {
    case 'cpu':
      return request.milliCpu
    case 'memory':
      return request.memory
    case 'ephemeral-storage':
      return request.ephemeralStorage
    default:
      return request.scalar.get(resourceName) ?? 0n
  }
}
