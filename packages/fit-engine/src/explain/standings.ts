import type { Pod } from '@berth/types'
import { podRequest, type PodResources } from '@berth/resources'
import type { ClusterTable } from '../state/cluster-table.ts'
import type { Holder, ResourceStanding } from './explanation.ts'

/** Enough to see who is in the way, few enough to read. */
const MAX_HOLDERS = 10

const nothing: PodResources = { milliCpu: 0n, memory: 0n, ephemeralStorage: 0n, scalar: new Map() }

/** Of a pod that cannot be read nothing is known; that it cannot is for the decision to say. */
function requestOf(pod: Pod): PodResources {
  try {
    return podRequest(pod)
  } catch {
    return nothing
  }
}

/** What the pod asks for, by resource name; only amounts above 0. */
export function asksOf(pod: Pod): ReadonlyMap<string, bigint> {
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

/** Each resource that the pod asks for, as it stands on the row. */
export function standings(
  table: ClusterTable,
  row: number,
  asks: ReadonlyMap<string, bigint>,
): readonly ResourceStanding[] {
  return Array.from(asks, ([resourceName, amount]) => {
    const has = table.allocatable(row, resourceName)
    const used = table.requested(row, resourceName)
    return { resourceName, asks: amount, has, used, free: has - used, heldBy: holders(table, row, resourceName) }
  })
}
