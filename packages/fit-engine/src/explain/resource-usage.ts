import type { Pod } from '@berth/types'
import { podRequest, type PodResources } from '@berth/resources'
import type { ClusterTable } from '../state/cluster-table.ts'
import type { Holder, ResourceUsage } from './explanation.ts'

/** Number of holders that are listed for each resource. */
const MAX_HOLDERS = 10

const noRequest: PodResources = { milliCpu: 0n, memory: 0n, ephemeralStorage: 0n, scalar: new Map() }

/** Returns the request of the pod; zeros for an unreadable pod, because the decision reports that. */
function requestOf(pod: Pod): PodResources {
  try {
    return podRequest(pod)
  } catch {
    return noRequest
  }
}

/** Returns what the pod requests, by resource name; amounts above 0 only. */
export function requestedAmounts(pod: Pod): ReadonlyMap<string, bigint> {
  const { milliCpu, memory, ephemeralStorage, scalar } = requestOf(pod)
  const all: readonly (readonly [string, bigint])[] = [
    ['cpu', milliCpu],
    ['memory', memory],
    ['ephemeral-storage', ephemeralStorage],
    ...scalar,
  ]
  return new Map(all.filter(([, amount]) => amount > 0n))
}

function holders(table: ClusterTable, row: number, resourceName: string): readonly Holder[] {
  const found: Holder[] = []
  for (const pod of table.podsOn(row)) {
    const amount = table.requestOf(pod, resourceName)
    if (amount <= 0n) continue
    const { namespace = '', name = '', uid = '' } = pod.metadata
    found.push({ namespace, name, uid, amount, priority: pod.spec.priority ?? 0 })
  }
  found.sort((a, b) => (a.amount === b.amount ? compareNames(a, b) : a.amount > b.amount ? -1 : 1))
  return found.slice(0, MAX_HOLDERS)
}

function compareNames(a: Holder, b: Holder): number {
  const [left, right] = [`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`]
  return left < right ? -1 : 1
}

/** Returns the usage on the row of each resource that the pod requests. */
export function resourceUsage(
  table: ClusterTable,
  row: number,
  asks: ReadonlyMap<string, bigint>,
): readonly ResourceUsage[] {
  return Array.from(asks, ([resourceName, amount]) => {
    const has = table.allocatable(row, resourceName)
    const used = table.requested(row, resourceName)
    return { resourceName, asks: amount, has, used, free: has - used, heldBy: holders(table, row, resourceName) }
  })
}
