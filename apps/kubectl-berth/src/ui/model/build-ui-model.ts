import type { ClusterSnapshot } from '@berth/cluster-view'
import { capacityRows, type ResourceCapacity, type UnitAmounts } from '../../capacity/rows/capacity-rows.ts'
import { podUnits } from '../../capacity/rows/pod-units.ts'
import { isWaiting } from '../../explain/subjects/is-waiting.ts'
import type { UiAmounts, UiModel, UiResource } from './ui-model.ts'

/**
 * Returns the amounts of every resource on every node, as `capacity --all` counts them.
 *
 * @param notes - Sentences about what is missing from the numbers.
 */
export function buildUiModel(snapshot: ClusterSnapshot, timeMs: number, notes: readonly string[]): UiModel {
  const wanted = { withNative: true }
  const pods = podUnits(snapshot.pods, wanted)
  const nodes = [...snapshot.nodes.keys()].toSorted()
  const indexOf = new Map(nodes.map((name, i) => [name, i]))
  return {
    timeMs,
    nodes,
    resources: capacityRows(snapshot, { ...wanted, pods, nodeNames: undefined }).map((resource) =>
      uiResource(resource, indexOf),
    ),
    pendingCount: snapshot.pods.filter(isWaiting).length,
    notes,
  }
}

function uiResource(resource: ResourceCapacity, indexOf: ReadonlyMap<string, number>): UiResource {
  const cells = Array.from<UiAmounts | null>({ length: indexOf.size }).fill(null)
  for (const node of resource.nodes) {
    const index = indexOf.get(node.node)
    if (index !== undefined) cells[index] = amountsOf(node)
  }
  return {
    name: resource.resourceName,
    total: amountsOf(resource),
    largestBlock: Number(resource.largestBlock),
    cells,
  }
}

function amountsOf({ allocatable, requested, free, unhealthy }: UnitAmounts): UiAmounts {
  return [Number(allocatable), Number(requested), Number(free), Number(unhealthy)]
}
