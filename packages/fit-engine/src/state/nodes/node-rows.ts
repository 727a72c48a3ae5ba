import type { Node, Taint } from '@berth/types'

/** Bits of {@link NodeRows.flags}. */
export const NODE_PRESENT = 1
export const NODE_UNSCHEDULABLE = 2
/** The node has a NoSchedule or NoExecute taint. */
export const NODE_TAINTED = 4
/** The node has a PreferNoSchedule taint. */
export const NODE_SOFT_TAINTED = 8

function taintFlag({ effect }: Taint): number {
  if (effect === 'PreferNoSchedule') return NODE_SOFT_TAINTED
  return effect === 'NoSchedule' || effect === 'NoExecute' ? NODE_TAINTED : 0
}

function flagsOf(node: Node): number {
  const initial = NODE_PRESENT | (node.spec?.unschedulable === true ? NODE_UNSCHEDULABLE : 0)
  return (node.spec?.taints ?? []).reduce((flags, taint) => flags | taintFlag(taint), initial)
}

/** Returns region and zone as kube-scheduler combines them for its node order (`component-helpers/node/topology`, v1.36). */
function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {}
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? ''
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? ''
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`
}

/** The properties of a node that {@link NodeRows} keeps besides the object. */
export interface NodeTraits {
  readonly flags: number
  readonly zone: string
}

/** Reads a node for {@link NodeRows.setNode}. Throws when its taints are malformed. */
export function readNodeTraits(node: Node): NodeTraits {
  return { flags: flagsOf(node), zone: zoneOf(node) }
}

/**
 * Assigns a row, a small integer, to each node name and keeps the node objects by row. A name can have a row without a
 * node, when its pods were set before the node or outlive it. Released rows are reused.
 */
export class NodeRows {
  flags: Uint8Array
  #names: string[] = []
  #nodes: (Node | undefined)[] = []
  /** Its insertion order is the order in which the nodes were added. */
  #rowByName = new Map<string, number>()
  #freeRows: number[] = []
  #nodeCount = 0
  /** At index `k`: the number of nodes with the flag `1 << k`. */
  #flagCounts = new Int32Array(8)
  // Lists that are built on demand and kept until the next change.
  #liveRows: Int32Array | undefined
  #namesByRow: readonly string[] | undefined
  #namesInSchedulingOrder: readonly string[] | undefined

  constructor(capacity: number) {
    this.flags = new Uint8Array(capacity)
  }

  get count(): number {
    return this.#nodeCount
  }

  /** One above the highest row ever used. */
  get limit(): number {
    return this.#names.length
  }

  nameOf(row: number): string {
    return this.#names[row] ?? ''
  }

  nodeOf(row: number): Node | undefined {
    return this.#nodes[row]
  }

  /** Returns the row of the name, with or without a node, or undefined. */
  find(name: string): number | undefined {
    return this.#rowByName.get(name)
  }

  /** Returns the row of the name, and assigns one if it has none. */
  obtain(name: string): number {
    const known = this.#rowByName.get(name)
    if (known !== undefined) return known
    const row = this.#freeRows.pop() ?? this.#names.length
    this.#names[row] = name
    this.#nodes[row] = undefined
    this.#rowByName.set(name, row)
    this.#namesByRow = undefined
    return row
  }

  /** Returns whether any node has the flag. */
  hasAny(flag: number): boolean {
    return this.#flagCounts[31 - Math.clz32(flag)] !== 0
  }

  setNode(row: number, node: Node, { flags, zone }: NodeTraits): void {
    const old = this.#nodes[row]
    this.#nodes[row] = node
    this.#setFlags(row, flags)
    if (old !== undefined && zoneOf(old) === zone) return
    const name = this.nameOf(row)
    this.#rowByName.delete(name)
    this.#rowByName.set(name, row)
    if (old === undefined) this.#nodeCount += 1
    this.#dropCachedLists()
  }

  /** Removes the node. The name keeps its row until {@link NodeRows.release}. */
  clearNode(row: number): void {
    if (this.#nodes[row] === undefined) return
    this.#nodes[row] = undefined
    this.#setFlags(row, 0)
    this.#nodeCount -= 1
    this.#dropCachedLists()
  }

  release(row: number): void {
    this.#rowByName.delete(this.nameOf(row))
    this.#names[row] = ''
    this.#freeRows.push(row)
    this.#dropCachedLists()
  }

  /** Returns the rows that have a node, ascending. The array is shared: callers must not change it. */
  liveRows(): Int32Array {
    if (this.#liveRows !== undefined) return this.#liveRows
    const rows = new Int32Array(this.#nodeCount)
    let count = 0
    for (let row = 0; row < this.#nodes.length; row++) if (this.#nodes[row] !== undefined) rows[count++] = row
    this.#liveRows = rows
    return rows
  }

  /** Returns the current names by row. Later changes do not affect the list. */
  namesByRow(): readonly string[] {
    this.#namesByRow ??= [...this.#names]
    return this.#namesByRow
  }

  /** Returns the node names in kube-scheduler's order, zones in turn (v1.36, `backend/cache/node_tree.go`). */
  namesInSchedulingOrder(): readonly string[] {
    this.#namesInSchedulingOrder ??= this.#takeFromZonesInTurn(this.#namesByZone())
    return this.#namesInSchedulingOrder
  }

  grow(capacity: number): void {
    const flags = new Uint8Array(capacity)
    flags.set(this.flags)
    this.flags = flags
  }

  copy(): NodeRows {
    const copy = new NodeRows(0)
    copy.flags = this.flags.slice()
    copy.#names = [...this.#names]
    copy.#nodes = [...this.#nodes]
    copy.#rowByName = new Map(this.#rowByName)
    copy.#freeRows = [...this.#freeRows]
    copy.#nodeCount = this.#nodeCount
    copy.#flagCounts = this.#flagCounts.slice()
    copy.#liveRows = this.#liveRows
    copy.#namesByRow = this.#namesByRow
    copy.#namesInSchedulingOrder = this.#namesInSchedulingOrder
    return copy
  }

  #namesByZone(): ReadonlyMap<string, readonly string[]> {
    const zones = new Map<string, string[]>()
    for (const [name, row] of this.#rowByName) {
      const node = this.#nodes[row]
      if (node === undefined) continue
      const zone = zoneOf(node)
      const names = zones.get(zone)
      if (names === undefined) zones.set(zone, [name])
      else names.push(name)
    }
    return zones
  }

  /** Returns the first name of every zone, then the second of every zone, and so on. */
  #takeFromZonesInTurn(zones: ReadonlyMap<string, readonly string[]>): readonly string[] {
    const ordered: string[] = []
    for (let turn = 0; ordered.length < this.#nodeCount; turn++) {
      for (const names of zones.values()) {
        const name = names[turn]
        if (name !== undefined) ordered.push(name)
      }
    }
    return ordered
  }

  #setFlags(row: number, flags: number): void {
    const old = this.flags[row] ?? 0
    this.flags[row] = flags
    for (let k = 0; k < this.#flagCounts.length; k++) {
      this.#flagCounts[k] = (this.#flagCounts[k] ?? 0) + ((flags >>> k) & 1) - ((old >>> k) & 1)
    }
  }

  #dropCachedLists(): void {
    this.#liveRows = undefined
    this.#namesByRow = undefined
    this.#namesInSchedulingOrder = undefined
  }
}
