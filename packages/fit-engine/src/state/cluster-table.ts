import { boundPodRequest, type HostPort, isScalarResourceName, isTerminal, resourceAmounts } from '@berth/resources'
import type { Node, Pod, ResourceList } from '@berth/types'
import type { ClusterState } from './cluster-state.ts'
import { StateError } from '../errors.ts'
import { addAmounts, type Amount, subtractAmounts, toAmount } from './resources/amount.ts'
import { AmountColumn } from './resources/amount-column.ts'
import { ClusterObjectStore } from './cluster-objects.ts'
import type { KeyedAffinityTerms } from './pods/bonds.ts'
import { RequestPool } from './pods/cell-pool.ts'
import { ChangeLog } from './cache/change-log.ts'
import { ImageIndex } from './nodes/image-index.ts'
import { LayeredMap } from './layered-map.ts'
import { NodeRows, readNodeTraits } from './nodes/node-rows.ts'
import { PlacementIndexes } from './neighbours.ts'
import { Nominations } from './pods/nominations.ts'
import { CELL_NON_ZERO_CPU, CELL_NON_ZERO_MEMORY, FIRST_SCALAR_CELL, type PlacedPod } from './pods/pod-entry.ts'
import { encodeRequest, releaseRequest } from './pods/pod-entry.ts'
import type { PodLabelIndex } from './pods/peers.ts'
import { podUid } from './pods/pod-key.ts'
import { PodLists } from './pods/pod-lists.ts'
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS } from './resources/resource-names.ts'
import { ResourceStore } from './resources/resource-store.ts'
import { readObject } from './readable.ts'
import type { TopologyColumns } from './nodes/topology-columns.ts'
import { RowValueCache } from './cache/row-answers.ts'
import { Scratch } from './cache/scratch.ts'

const FIRST_CAPACITY = 64
const noNode: Node = { metadata: {} }

function isSameList(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  if (a === b) return true
  const left = Object.entries(a ?? {})
  return left.length === Object.keys(b ?? {}).length && left.every(([name, text]) => b?.[name] === text)
}

/** The engine's own form of the cluster state: columns by row, pods by key. */
export class ClusterTable implements ClusterState {
  generation = 0
  rows: NodeRows = new NodeRows(FIRST_CAPACITY)
  store: ResourceStore = new ResourceStore(FIRST_CAPACITY)
  /** Requests of the pods on a row with the scoring defaults of cpu and memory. */
  nonZeroCpu: AmountColumn = new AmountColumn(FIRST_CAPACITY)
  nonZeroMemory: AmountColumn = new AmountColumn(FIRST_CAPACITY)
  images: ImageIndex = new ImageIndex()
  nominations: Nominations = new Nominations()
  readonly scratch: Scratch = new Scratch()
  /** Ports of the host that are taken on a row while pods are away from it on trial. */
  readonly dryRunPorts: Map<number, readonly HostPort[]> = new Map()
  readonly #changes = new ChangeLog()
  /** What pods of the same shape were told of each row; a copy starts without. */
  readonly rowValues: RowValueCache = new RowValueCache(this.#changes, this.scratch)
  objects: ClusterObjectStore = new ClusterObjectStore()
  indexes: PlacementIndexes = new PlacementIndexes()
  #capacity = FIRST_CAPACITY
  #entries = new LayeredMap<PlacedPod>()
  readonly #pool = new RequestPool()
  #podLists = new PodLists()

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
    const known = this.rows.find(name)
    const old = known === undefined ? undefined : this.rows.nodeOf(known)
    const offer = readObject('node', node.metadata, () => this.#offerOf(old, node))
    const traits = readObject('node', node.metadata, () => readNodeTraits(node))
    this.generation += 1
    const row = this.#obtainRow(name)
    this.rows.setNode(row, node, traits)
    for (const [resourceName, amount] of offer) this.store.setAllocatable(resourceName, row, amount)
    if (offer.size > 0) this.#changes.record(row)
    this.images.update(row, old, node)
  }

  deleteNode(name: string): void {
    const row = this.rowOf(name)
    if (row === undefined) return
    this.generation += 1
    const old = this.rows.nodeOf(row)
    for (const [resourceName] of this.#offerOf(old, undefined)) this.store.setAllocatable(resourceName, row, 0)
    this.#changes.record(row)
    this.images.update(row, old, undefined)
    this.rows.clearNode(row)
    this.#releaseIfEmpty(row)
  }

  setPod(pod: Pod): void {
    const key = podUid(pod)
    const known = this.#entries.get(key)
    const nodeName = pod.spec.nodeName ?? ''
    if (isTerminal(pod)) {
      this.deletePod(pod)
    } else if (nodeName === '') {
      // An event about the pod as it was before the binding; an assumption outlives it.
      if (known?.isAssumed === false) this.deletePod(pod)
    } else {
      const wishes = this.#readWishes(pod)
      const cells = this.#readCells(pod)
      this.generation += 1
      this.#remove(key)
      this.#add(key, nodeName, { pod, isAssumed: false, cells }, wishes)
      this.nominations.remove(pod)
    }
  }

  deletePod(pod: Pod): void {
    const wasNominated = this.nominations.remove(pod)
    if (this.#remove(podUid(pod)) || wasNominated) this.generation += 1
  }

  *pods(): IterableIterator<Pod> {
    for (const { pod } of this.#entries.values()) yield pod
  }

  placementOf(pod: Pod): { readonly pod: Pod; readonly nodeName: string; readonly isAssumed: boolean } | undefined {
    const entry = this.#entries.get(podUid(pod))
    return entry && { pod: entry.pod, nodeName: this.rows.nameOf(entry.row), isAssumed: entry.isAssumed }
  }

  /** Pods by labels, with notice taken of every change so far. */
  currentPodLabels(): PodLabelIndex {
    this.indexes.podLabels.refresh(this.#podLists.byRow(), this.#podLists.changes)
    return this.indexes.podLabels
  }

  /** Nodes by topology, with notice taken of every change so far. */
  currentTopology(): TopologyColumns {
    this.indexes.topology.refresh(this.rows, this.generation)
    return this.indexes.topology
  }

  /** The pod counts on some row, assumed or bound. */
  isPlaced(pod: Pod): boolean {
    return this.#entries.get(podUid(pod)) !== undefined
  }

  assume(pod: Pod, nodeName: string): void {
    const key = podUid(pod)
    if (this.#entries.get(key) !== undefined) {
      const { namespace, name } = pod.metadata
      throw new StateError(`assume pod ${namespace}/${name} on node ${nodeName}: it already counts on a node`, {
        code: 'BERTH_FIT_ASSUMED_TWICE',
      })
    }
    const wishes = this.#readWishes(pod)
    const cells = this.#readCells(pod)
    this.generation += 1
    this.#add(key, nodeName, { pod, isAssumed: true, cells }, wishes)
  }

  forget(pod: Pod): void {
    if (!this.isAssumed(pod)) return
    this.generation += 1
    this.#remove(podUid(pod))
  }

  isAssumed(pod: Pod): boolean {
    return this.#entries.get(podUid(pod))?.isAssumed === true
  }

  nominate(pod: Pod, nodeName: string): void {
    // It would break every decision that leaves room for it.
    if (nodeName !== '') {
      this.#readWishes(pod)
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
    copy.#capacity = this.#capacity
    copy.#entries = this.#entries.copy()
    copy.#podLists = this.#podLists.copy()
    return copy
  }

  /** How much of the resource a pod that counts holds; whole units, cpu in milli. */
  requestOf(pod: Pod, resourceName: string): bigint {
    const id = this.store.names.idOf(resourceName)
    const cells = this.encodedRequestOf(pod) ?? []
    if (id === undefined) return 0n
    if (id <= EPHEMERAL_STORAGE) return BigInt(cells[id] ?? 0)
    for (let i = FIRST_SCALAR_CELL; i < cells.length; i += 2) if (cells[i] === id) return BigInt(cells[i + 1] ?? 0)
    return 0n
  }

  /** What a pod takes that counts; undefined when it does not. */
  encodedRequestOf(pod: Pod): PlacedPod['cells'] | undefined {
    return this.#entries.get(podUid(pod))?.cells
  }

  /** Replaces the list of pods of a row; amounts are not touched. */
  setPodsOn(row: number, pods: readonly Pod[]): void {
    this.#podLists.replace(row, pods)
  }

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

  /** What changes in the node's offer: resource name -> new amount. */
  #offerOf(old: Node | undefined, node: Node | undefined): ReadonlyMap<string, Amount> {
    const before = old?.status?.allocatable
    const after = node?.status?.allocatable
    const changes = new Map<string, Amount>()
    if (isSameList(before, after)) return changes
    for (const name of resourceAmounts(before).keys()) changes.set(name, 0)
    for (const [name, amount] of resourceAmounts(after)) {
      const isKnown = this.store.names.idOf(name) !== undefined
      if (isKnown || isScalarResourceName(name)) changes.set(name, toAmount(amount))
    }
    return changes
  }

  /** What can go wrong did so while `counted` and `wishes` were read: from here on nothing throws. */
  #add(key: string, nodeName: string, counted: Omit<PlacedPod, 'row'>, wishes: KeyedAffinityTerms | undefined): void {
    const row = this.#obtainRow(nodeName)
    this.#entries.set(key, { ...counted, row })
    this.#podLists.add(row, counted.pod)
    if (wishes !== undefined) this.indexes.affinityTerms.add(row, wishes)
    this.accountRequest(row, counted.cells, 1)
  }

  #remove(key: string): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    const { row, cells, pod } = entry
    this.#entries.delete(key)
    this.indexes.affinityTerms.remove(row, pod)
    this.#podLists.remove(row, pod)
    this.accountRequest(row, cells, -1)
    releaseRequest(cells, this.store.names)
    this.#releaseIfEmpty(row)
    return true
  }

  #readWishes(pod: Pod): KeyedAffinityTerms | undefined {
    return readObject('pod', pod.metadata, () => this.indexes.affinityTerms.parse(pod))
  }

  /** To be called last of what reads the pod: the cells retain names. */
  #readCells(pod: Pod): PlacedPod['cells'] {
    return this.#pool.intern(readObject('pod', pod.metadata, () => encodeRequest(pod, this.store.names)))
  }

  /** Adds what a pod takes to the row, or takes it away; the list of pods is not touched. */
  accountRequest(row: number, cells: PlacedPod['cells'], sign: 1 | -1): void {
    this.#changes.record(row)
    const { store, nonZeroCpu, nonZeroMemory } = this
    const combine = sign === 1 ? addAmounts : subtractAmounts
    const cell = (index: number) => cells[index] ?? 0
    const count = (id: number, amount: PlacedPod['cells'][number]) => {
      if (amount === 0) return
      if (sign === 1) store.addRequested(id, row, amount)
      else store.subtractRequested(id, row, amount)
    }
    count(PODS, 1)
    count(CPU, cell(CPU))
    count(MEMORY, cell(MEMORY))
    count(EPHEMERAL_STORAGE, cell(EPHEMERAL_STORAGE))
    nonZeroCpu.set(row, combine(nonZeroCpu.get(row), cell(CELL_NON_ZERO_CPU)))
    nonZeroMemory.set(row, combine(nonZeroMemory.get(row), cell(CELL_NON_ZERO_MEMORY)))
    for (let i = FIRST_SCALAR_CELL; i < cells.length; i += 2) count(Number(cell(i)), cell(i + 1))
  }
}
