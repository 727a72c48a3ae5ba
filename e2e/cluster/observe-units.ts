import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { observeDuring } from './observe-during.ts'

/** The kubelet writes the status of its node at least this often while it changes, with jitter. */
const STATUS_SYNC_MS = 10_400
/** A change of the node is seen this much later. */
const LOOK_MS = 500
/** Longest time in which a node may show no allocatable unit while a device plugin is replaced: one status of the node. */
export const MAX_ZERO_MS = STATUS_SYNC_MS + LOOK_MS

/** A resource of a node. */
export interface NodeResource {
  readonly node: string
  readonly resource: string
}

/** What a node showed of a resource while a task ran. */
export interface ObservedUnits extends NodeResource {
  /** Each distinct `capacity/allocatable`, with `-` for a value that the node lacks. */
  readonly seen: readonly string[]
  /** Longest time without an allocatable unit, in milliseconds. */
  readonly longestZeroMs: number
}

/** Polls resources of nodes while a task runs. @throws The error of the task. */
export async function observeUnits(
  client: ApiClient,
  resources: readonly NodeResource[],
  task: Promise<unknown>,
): Promise<readonly ObservedUnits[]> {
  const trackers = resources.map((each) => ({ ...each, ...trackUnits() }))
  await observeDuring(task, async () => {
    const { items } = await client.list<Node>(resourceRefs.nodes)
    const nowMs = performance.now()
    for (const { node, resource, add } of trackers) {
      add(
        unitsOf(
          items.find(({ metadata }) => metadata.name === node),
          resource,
        ),
        nowMs,
      )
    }
    return ''
  })
  return trackers.map(({ node, resource, read }) => ({ node, resource, ...read() }))
}

/** Returns the units of a resource as `capacity/allocatable`, with `-` for a value that the node lacks. */
export function unitsOf(node: Node | undefined, resource: string): string {
  const { capacity, allocatable } = node?.status ?? {}
  return `${capacity?.[resource] ?? '-'}/${allocatable?.[resource] ?? '-'}`
}

/** Collects values of {@link unitsOf}, and the longest time in which the second number is 0 or missing. */
export function trackUnits(): {
  readonly add: (units: string, nowMs: number) => void
  readonly read: () => Pick<ObservedUnits, 'seen' | 'longestZeroMs'>
} {
  const seen = new Set<string>()
  let zeroSinceMs: number | undefined
  let longestZeroMs = 0
  return {
    add(units, nowMs) {
      seen.add(units)
      if (/\/[0-]$/.test(units)) longestZeroMs = Math.max(longestZeroMs, nowMs - (zeroSinceMs ??= nowMs))
      else zeroSinceMs = undefined
    },
    read: () => ({ seen: [...seen], longestZeroMs }),
  }
}
