import { createClusterState } from '@berth/fit-engine'
import { isBound, isTerminal, resourceAmounts } from '@berth/resources'
import { printableLine } from '@berth/text/printable'
import type { Node, Pod } from '@berth/types'
import { capacityRows } from '../../capacity/rows/capacity-rows.ts'
import { podUnits } from '../../capacity/rows/pod-units.ts'
import { isWaiting } from '../../explain/subjects/is-waiting.ts'
import type { ClusterStep, NodeRow } from '../model/cluster-step.ts'
import { countChanges } from './count-changes.ts'
import { nodeLook } from './node-look.ts'
import type { UiAmounts } from '../model/ui-model.ts'

/** Nodes and pods, counted as `capacity --all` counts them. Only nodes with changes are counted again. */
export interface ClusterTable {
  /** Adds or replaces a node. @throws StateError, QuantityError when it cannot be read */
  setNode(node: Node): void
  deleteNode(name: string): void
  /** Adds or replaces a pod. @throws StateError when it cannot be read */
  setPod(pod: Pod): void
  deletePod(pod: Pod): void
  /**
   * Returns the changes since the last step; undefined when the page would show the same. Nodes and pods before the first
   * step do not count as changes: they were there.
   */
  takeStep(timeMs: number): ClusterStep | undefined
}

/** Creates a table without nodes and pods. */
export function createClusterTable(): ClusterTable {
  const state = createClusterState()
  const nodes = new Map<string, Node>()
  const pods = new Map<string, Pod>()
  const podsByNode = new Map<string, Map<string, Pod>>()
  const changedNodes = new Set<string>()
  const rows = new Map<string, NodeRow>()
  const changes = countChanges()
  let waitingCount = 0
  let waitingAtStep = -1

  const move = (key: string, pod: Pod, isCounted: boolean): void => {
    const { nodeName = '' } = pod.spec
    if (nodeName === '') return
    const onNode = podsByNode.get(nodeName) ?? new Map<string, Pod>()
    podsByNode.set(nodeName, onNode)
    if (isCounted) onNode.set(key, pod)
    else onNode.delete(key)
    if (onNode.size === 0) podsByNode.delete(nodeName)
    changedNodes.add(nodeName)
  }
  const removePod = (key: string, old: Pod): void => {
    pods.delete(key)
    state.deletePod(old)
    move(key, old, false)
    if (isWaiting(old)) waitingCount--
    changes.podLeft(key, old)
  }
  const rowsOfChanged = (): ReadonlyMap<string, NodeRow | undefined> => {
    const known = new Map([...changedNodes].flatMap((name) => entryOf(nodes, name)))
    const ofNodes = [...known.keys()].flatMap((name) => [...(podsByNode.get(name)?.values() ?? [])])
    const counted = countedRows({ state, nodes: known }, ofNodes)
    const changed = new Map<string, NodeRow | undefined>()
    for (const name of changedNodes) {
      const row = known.has(name) ? (counted.get(name) ?? new Map<string, UiAmounts>()) : undefined
      if (isSameRow(rows.get(name), row)) continue
      changed.set(printableLine(name), row)
      if (row === undefined) rows.delete(name)
      else rows.set(name, row)
    }
    changedNodes.clear()
    return changed
  }

  return {
    setNode(node) {
      const { name = '' } = node.metadata
      // The state reads the allocatable amounts only.
      resourceAmounts(node.status?.capacity)
      state.setNode(node)
      const old = nodes.get(name)
      nodes.set(name, node)
      changedNodes.add(name)
      if (old === undefined) changes.add('nodeAdded', name)
      else if (nodeLook(old) !== nodeLook(node)) changes.add('nodeChanged', name)
    },
    deleteNode(name) {
      if (!nodes.delete(name)) return
      state.deleteNode(name)
      changedNodes.add(name)
      changes.add('nodeGone', name)
    },
    setPod(pod) {
      const key = keyOf(pod)
      const known = pods.get(key)
      const isOther = known !== undefined && known.metadata.uid !== pod.metadata.uid
      if (isOther) removePod(key, known)
      const old = isOther ? undefined : known
      state.setPod(pod)
      pods.set(key, pod)
      if (old !== undefined) move(key, old, false)
      move(key, pod, isBound(pod) && !isTerminal(pod))
      waitingCount += Number(isWaiting(pod)) - Number(old !== undefined && isWaiting(old))
      changes.podSeen(key, old, pod)
    },
    deletePod(pod) {
      const key = keyOf(pod)
      const old = pods.get(key)
      if (old !== undefined) removePod(key, old)
    },
    takeStep(timeMs) {
      const changed = rowsOfChanged()
      const counted = changes.take()
      const isSame = changed.size === 0 && counted.isEmpty && waitingCount === waitingAtStep
      if (isSame) return undefined
      waitingAtStep = waitingCount
      return { timeMs, rows: changed, pendingCount: waitingCount, counts: counted.counts, examples: counted.examples }
    },
  }
}

function keyOf({ metadata: { namespace = 'default', name = '' } }: Pod): string {
  return `${namespace}/${name}`
}

function entryOf<T>(map: ReadonlyMap<string, T>, key: string): readonly (readonly [string, T])[] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}

/** Counts nodes with their pods. */
function countedRows(cluster: Parameters<typeof capacityRows>[0], pods: readonly Pod[]): Map<string, NodeRow> {
  const wanted = { withNative: true }
  const counted = new Map<string, Map<string, UiAmounts>>()
  for (const { resourceName, nodes } of capacityRows(cluster, {
    ...wanted,
    pods: podUnits(pods, wanted),
    nodeNames: undefined,
  }))
    for (const { node, allocatable, requested, free, unhealthy } of nodes) {
      const row = counted.get(node) ?? new Map<string, UiAmounts>()
      counted.set(node, row)
      row.set(printableLine(resourceName), [Number(allocatable), Number(requested), Number(free), Number(unhealthy)])
    }
  return counted
}

function isSameRow(a: NodeRow | undefined, b: NodeRow | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.size !== b.size) return false
  for (const [name, amounts] of a) {
    const other = b.get(name)
    if (other === undefined || amounts.some((amount, i) => amount !== other[i])) return false
  }
  return true
}
