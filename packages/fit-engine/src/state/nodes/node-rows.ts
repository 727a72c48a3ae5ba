import type { Node, Taint } from '@berth/types'

/** Bits of {@link NodeRows.flags}. */
export const NODE_PRESENT = 1
export const NODE_UNSCHEDULABLE = 2
/** Carries a NoSchedule or NoExecute taint. */
export const NODE_TAINTED = 4
/** Carries a PreferNoSchedule taint. */
export const NODE_SOFT_TAINTED = 8

function taintFlag({ effect }: Taint): number {
  if (effect === 'PreferNoSchedule') return NODE_SOFT_TAINTED
  return effect === 'NoSchedule' || effect === 'NoExecute' ? NODE_TAINTED : 0
}

function flagsOf(node: Node): number {
  const start = NODE_PRESENT | (node.spec?.unschedulable === true ? NODE_UNSCHEDULABLE : 0)
  return (node.spec?.taints ?? []).reduce((flags, taint) => flags | taintFlag(taint), start)
}

/** Region and zone as kube-scheduler reads them for its node order (v1.36, `component-helpers/node/topology`). */
function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {}
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? ''
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? ''
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`
}

/** What is read off a node before it gets its place. */
export interface NodeTraits {
  readonly flags: number
  readonly zone: string
}

/** Reads a node for {@link NodeRows.setNode}. Throws where its taints are none. */
export function readNodeTraits(node: Node): NodeTraits {
  return { flags: flagsOf(node), zone: zoneOf(node) }
}

/**
 * Names and objects of the nodes by row. A name can have a row without having a node: pods that are bound to it came
 * first, or stayed longer. Rows of names that nobody needs are used again.
 */
export class NodeRows {
  flags: Uint8Array
  #names: string[] = []
  #nodes: (Node | undefined)[] = []
  /** Insertion order is the order in which the nodes came. */
  #rowByName = new Map<string, number>()
  #free: number[] = []
  #present = 0
  /** How many nodes have the flag of bit `1 << k`. */
  #flagCounts = new Int32Array(8)
  #live: Int32Array | undefined
  #frozenNames: readonly string[] | undefined
  #turns: readonly string[] | undefined

  constructor(capacity: number) {
    this.flags = new Uint8Array(capacity)
  }

  get count(): number {
    return this.#present
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

  /** The row of the name, with or without a node. */
  find(name: string): number | undefined {
    return this.#rowByName.get(name)
  }

  /** Finds or makes the row of the name. */
  obtain(name: string): number {
    const known = this.#rowByName.get(name)
    if (known !== undefined) return known
    const row = this.#free.pop() ?? this.#names.length
    this.#names[row] = name
    this.#nodes[row] = undefined
    this.#rowByName.set(name, row)
    this.#frozenNames = undefined
    return row
  }

  /** Whether any node has the flag. */
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
    if (old === undefined) this.#present += 1
    this.#forgetLists()
  }

  /** Takes the node away; the row stays until {@link NodeRows.release}. */
  clearNode(row: number): void {
    if (this.#nodes[row] === undefined) return
    this.#nodes[row] = undefined
    this.#setFlags(row, 0)
    this.#present -= 1
    this.#forgetLists()
  }

  release(row: number): void {
    this.#rowByName.delete(this.nameOf(row))
    this.#names[row] = ''
    this.#free.push(row)
    this.#forgetLists()
  }

  /** Rows that have a node, ascending. The array is shared: it is not to be changed. */
  liveRows(): Int32Array {
    if (this.#live !== undefined) return this.#live
    const live = new Int32Array(this.#present)
    let count = 0
    for (let row = 0; row < this.#nodes.length; row++) if (this.#nodes[row] !== undefined) live[count++] = row
    this.#live = live
    return live
  }

  /** Names by row as they are now; later changes make a new list. */
  namesByRow(): readonly string[] {
    this.#frozenNames ??= [...this.#names]
    return this.#frozenNames
  }

  /** Names in kube-scheduler's order (v1.36, `backend/cache/node_tree.go`). */
  namesInSchedulingOrder(): readonly string[] {
    if (this.#turns !== undefined) return this.#turns
    const zones = new Map<string, string[]>()
    for (const [name, row] of this.#rowByName) {
      const node = this.#nodes[row]
      if (node === undefined) continue
      const zone = zoneOf(node)
      const names = zones.get(zone)
      if (names === undefined) zones.set(zone, [name])
      else names.push(name)
    }
    const turns: string[] = []
    for (let turn = 0; turns.length < this.#present; turn++) {
      for (const names of zones.values()) {
        const name = names[turn]
        if (name !== undefined) turns.push(name)
      }
    }
    this.#turns = turns
    return turns
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
    copy.#free = [...this.#free]
    copy.#present = this.#present
    copy.#flagCounts = this.#flagCounts.slice()
    copy.#live = this.#live
    copy.#frozenNames = this.#frozenNames
    copy.#turns = this.#turns
    return copy
  }

  #setFlags(row: number, flags: number): void {
    const old = this.flags[row] ?? 0
    this.flags[row] = flags
    for (let k = 0; k < this.#flagCounts.length; k++) {
      this.#flagCounts[k] = (this.#flagCounts[k] ?? 0) + ((flags >>> k) & 1) - ((old >>> k) & 1)
    }
  }

  #forgetLists(): void {
    this.#live = undefined
    this.#frozenNames = undefined
    this.#turns = undefined
  }
}
